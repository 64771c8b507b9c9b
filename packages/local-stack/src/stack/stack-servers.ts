import { join } from 'node:path';
import { openLogFile } from '../processes/log-file.ts';
import { supervise } from '../processes/supervise.ts';
import type { ProcessChange, Supervised } from '../processes/supervise.ts';
import { postgresHome } from '../servers/postgres-home.ts';
import { startPostgres } from '../servers/postgres.ts';
import type { Server } from '../servers/server.ts';
import { startRedis } from '../servers/redis.ts';
import type { Ports } from './ports.ts';
import type { Secrets } from './secrets.ts';
import { logPath } from './start-app.ts';

/** The URLs of the servers of a stack. */
export interface StackServers {
  databaseUrl: string;
  redisUrl: string;
}

/**
 * Uses the given servers, and starts and supervises the missing ones as `postgres` and `redis`. Each is passed to
 * `keep` once it is running.
 */
export async function openServers(options: {
  dataDir: string;
  given: Partial<StackServers>;
  ports: Ports;
  secrets: Secrets;
  stillMs: number;
  onChange: (change: ProcessChange) => void;
  keep: (supervised: Supervised) => void;
}): Promise<StackServers> {
  const { dataDir, given, ports, secrets, stillMs } = options;
  const logOf = (name: string) => openLogFile(logPath(dataDir, name));
  const open = async (name: string, start: () => Promise<Server>) => {
    let url = '';
    const superviseStart = async () => {
      const server = await start();
      url = server.url;
      return server;
    };
    options.keep(
      await supervise({ name, start: superviseStart, onChange: options.onChange, longestPauseMs: 1_000 }),
    );
    return url;
  };
  const openPostgres = () => {
    const home = postgresHome(dataDir, secrets.postgresPassword);
    const log = logOf('postgres');
    return open('postgres', () =>
      startPostgres({
        dataDir: home,
        password: secrets.postgresPassword,
        port: ports.postgres,
        log,
        stillMs,
      }),
    );
  };
  const openRedis = () => {
    const log = logOf('redis');
    return open('redis', () => startRedis({ dir: join(dataDir, 'redis'), port: ports.redis, log, stillMs }));
  };
  const [database, redis] = await Promise.allSettled([
    given.databaseUrl ?? openPostgres(),
    given.redisUrl ?? openRedis(),
  ]);
  if (database.status === 'rejected') throw database.reason;
  if (redis.status === 'rejected') throw redis.reason;
  return { databaseUrl: database.value, redisUrl: redis.value };
}
