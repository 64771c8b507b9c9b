import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort, projectRoot, waitFor } from '@rewardhook/testing';
import type { TestEnvironment } from './start-api.ts';

/** The API as a process of its own. */
export interface ApiProcess {
  url: string;
  pid: number;
  kill(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Whether it is still the process that was started. */
  isRunning(): boolean;
  close(): Promise<void>;
}

/** Starts the API as a process, for tests that stop it or use up its memory. Resolves when it is ready. */
export async function startApiProcess(
  { databaseUrl, redisUrl, prefix, secretsKey }: TestEnvironment,
  nodeArguments: string[] = [],
): Promise<ApiProcess> {
  const port = await freePort();
  const args = [...nodeArguments, '--import', 'tsx', '-C', 'source', 'apps/api/src/main.ts'];
  const child = spawn(process.execPath, args, {
    cwd: projectRoot,
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      QUEUE_PREFIX: prefix,
      SECRETS_KEY: secretsKey,
      API_HOST: '127.0.0.1',
      API_PORT: String(port),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const ready = () => fetch(`${url}/health/ready`).then(({ ok }) => ok);
  await waitFor(ready, { deadlineMs: 25_000, everyMs: 50 }).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    url,
    pid: child.pid as number,
    kill: (signal) => void child.kill(signal),
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async close() {
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
