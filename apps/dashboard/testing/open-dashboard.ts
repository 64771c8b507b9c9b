import { createServer } from 'node:http';
import supertest from 'supertest';
import { connectProducer, disconnect, openQueues } from '@rewardhook/pipeline';
import type { Redis } from '@rewardhook/pipeline';
import { listen } from '@rewardhook/process';
import type { Logger } from '@rewardhook/process';
import { waitFor } from '@rewardhook/testing';
import { createApp } from '../src/app.ts';
import type { Queues } from '../src/board/board-names.ts';
import type { Account, Role } from '../src/auth/accounts.ts';

const accounts: Account[] = [
  { role: 'operator', user: 'operator', password: 'operator: päss' },
  { role: 'viewer', user: 'viewer', password: 'viewer password' },
];

export const silent = {
  info() {},
  warn() {},
  error() {},
} as unknown as Logger;

/** The dashboard with queues of its own, and requests to it. */
export interface TestDashboard {
  url: string;
  redis: Redis;
  prefix: string;
  queues: Queues;
  queue(name: string): Queues[number];
  /** Sends a request with the credentials of a role, or without any. */
  send(role: Role | undefined, method: string, path: string): supertest.Test;
  /** Sends a request with these credentials. */
  login(user: string, password: string): supertest.Test;
  close(): Promise<void>;
}

/** Opens a dashboard on the Redis at `url`; waits for it unless `wait` is false. */
export async function openDashboard(
  url: string,
  { wait = true, trustedProxies = 0 } = {},
): Promise<TestDashboard> {
  const prefix = `{dashboard-${process.pid}-${Math.random()}}`;
  const redis = connectProducer(url, silent);
  const queues = openQueues(redis, prefix);
  if (wait) await waitFor(() => redis.status === 'ready', { what: 'Redis' });
  const app = createApp({
    queues,
    accounts,
    isRedisReady: () => redis.status === 'ready',
    trustedProxies,
    consoleUrl: 'https://console.example',
    log: silent,
  });
  const server = await listen(createServer(app), '127.0.0.1', 0);
  const agent = supertest(server.url);
  const ask = (method: string, path: string) => {
    const name = method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head' | 'options';
    return agent[name](path);
  };
  return {
    url: server.url,
    redis,
    prefix,
    queues,
    queue(name) {
      const found = queues.find((queue) => queue.name === name);
      if (!found) throw new Error(`there is no queue ${name}`);
      return found;
    },
    send(role, method, path) {
      const account = accounts.find((one) => one.role === role);
      return account ? ask(method, path).auth(account.user, account.password) : ask(method, path);
    },
    login: (user, password) => ask('get', '/api/queues').auth(user, password),
    async close() {
      await server.close();
      if (redis.status === 'ready') for (const queue of queues) await queue.obliterate({ force: true });
      await disconnect(redis);
      await Promise.all(queues.map((queue) => queue.close()));
    },
  };
}
