import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../processes/free-ports.ts';
import { openLogFile } from '../processes/log-file.ts';
import type { LogFile } from '../processes/log-file.ts';
import { startProcess } from '../processes/start-process.ts';
import { redisCommand } from './redis-command.ts';
import { readyOrStopped } from './server.ts';
import type { Server } from './server.ts';

export interface RedisOptions {
  /** The folder of its append-only file, created when missing. */
  dir: string;
  /** Default: a free port. */
  port?: number;
  /** More arguments of `redis-server`. They override the earlier ones. */
  args?: string[];
  /** Default: `redis.log` in `dir`. */
  log?: LogFile;
  /** How long nothing may change while it starts, in milliseconds; default 60 s, times `TEST_TIME_SCALE`. */
  stillMs?: number | undefined;
}

/**
 * Starts a private `redis-server` from the PATH, on 127.0.0.1 without a password, that loses no acknowledged write:
 * append-only file, synced at every write, no eviction. Resolves when it is ready.
 * @throws when there is no `redis-server`, or it does not become ready
 */
export async function startRedis(options: RedisOptions): Promise<Server> {
  const { dir, port = await freePort() } = options;
  mkdirSync(dir, { recursive: true });
  const log = options.log ?? openLogFile(join(dir, 'redis.log'));
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction'];
  // Orders pass through the file and are removed soon: a rewrite at the default of 64 MB would run every few seconds.
  const rareRewrites = ['--auto-aof-rewrite-min-size', '1gb'];
  const location = ['--bind', '127.0.0.1', '--port', String(port), '--dir', dir, '--save', ''];
  const redis = await startProcess({
    command: 'redis-server',
    args: [...location, ...durable, ...rareRewrites, ...(options.args ?? [])],
    log,
  }).catch((cause: unknown) => {
    throw new Error('redis-server is not on the PATH: `npm test` and `npm run stack` install it', { cause });
  });
  return readyOrStopped('Redis', redis, log, () => ping(port), `redis://127.0.0.1:${port}`, options.stillMs);
}

/** Whether the server answers PONG. A server that is still loading its file answers with an error. */
async function ping(port: number): Promise<boolean> {
  return (await redisCommand(port, 'PING')).startsWith('+PONG');
}
