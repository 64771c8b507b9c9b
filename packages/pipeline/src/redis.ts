import type { Log } from '@rewardhook/process';
import { Redis } from 'ioredis';

/** A connection to Redis. */
export type { Redis };

/** How long a command of a producer may take, in milliseconds. */
export const commandTimeoutMs = 1_000;

/**
 * Opens a connection for a process that answers requests. A command fails at once while Redis is unavailable. Commands
 * are never kept for later and never sent twice, so that no job appears after its request was refused.
 */
export function connectProducer(url: string, log: Log): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    connectTimeout: 2_000,
    retryStrategy: (times) => Math.min(50 * times, 500),
  });
  return reportState(redis, log);
}

/** Opens a connection for a worker. Its commands wait until Redis is back, without a limit. */
export function connectWorker(url: string, log: Log): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    connectTimeout: 2_000,
    retryStrategy: (times) => Math.min(100 * times, 1_000),
  });
  return reportState(redis, log);
}

/** Logs each change between reachable and unreachable once, instead of every failed attempt to connect. */
function reportState(redis: Redis, log: Log): Redis {
  let reachable: boolean | undefined;
  redis.on('ready', () => {
    if (reachable === false) log.info('Redis is reachable again');
    reachable = true;
  });
  redis.on('error', (error: Error) => {
    if (reachable !== false) log.error('Redis is unreachable, reconnecting', { error });
    reachable = false;
  });
  return redis;
}

/** Closes a connection: after its pending commands when Redis is reachable, otherwise at once. */
export async function disconnect(redis: Redis): Promise<void> {
  if (redis.status === 'ready') await redis.quit().catch(() => redis.disconnect());
  else redis.disconnect();
}

/** Whether a command failed because Redis is unreachable or did not answer. */
export function isRedisUnavailable(error: unknown): boolean {
  const { name, message } = (error ?? {}) as { name?: string; message?: string };
  return (
    name === 'MaxRetriesPerRequestError' ||
    /^(Command timed out|Connection is closed\.?|Stream isn't writeable)/.test(message ?? '')
  );
}
