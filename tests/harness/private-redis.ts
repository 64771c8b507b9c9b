import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectWorker, disconnect } from '@rewardhook/pipeline';
import { startRedis } from '@rewardhook/testing/servers';
import { waitFor } from '@rewardhook/testing';
import type { Server } from '@rewardhook/testing/servers';
import { testLog as log } from './test-log.ts';

/** A Redis that only one test uses, and may kill, suspend and fill. */
export interface PrivateRedis {
  url: string;
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Starts it again with the same data on the same port. */
  start(): Promise<void>;
  /** Sends one command on a new connection. */
  send(command: string, ...args: (string | number)[]): Promise<unknown>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

/** Starts a Redis for one test. */
export async function startPrivateRedis(): Promise<PrivateRedis> {
  const dir = mkdtempSync(join(tmpdir(), 'rewardhook-redis-'));
  let server: Server = await startRedis({ dir });
  const { url } = server;
  const port = Number(new URL(url).port);
  return {
    url,
    async kill(signal) {
      server.kill(signal);
      if (signal === 'SIGKILL' || signal === 'SIGTERM') await server.exited;
    },
    async start() {
      server = await startRedis({ dir, port });
    },
    async send(command, ...args) {
      const redis = connectWorker(url, log);
      try {
        await waitFor(() => redis.status === 'ready', { everyMs: 5, what: 'a connection' });
        return await redis.call(command, ...args);
      } finally {
        await disconnect(redis);
      }
    },
    async remove() {
      // A suspended process does not end before it is resumed.
      server.kill('SIGCONT');
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
