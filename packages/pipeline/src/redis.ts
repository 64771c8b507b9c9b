import { Redis } from 'ioredis';

export type { Redis };

/** What pipeline writes to: a winston logger fits. */
export interface Log {
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/** Longest wait for a producer's command, in milliseconds. */
export const commandTimeoutMs = 1_000;

/**
 * A connection for those who answer somebody: it fails at once when Redis is away, never queues a command
 * for later and never sends one twice, so that no job appears behind a refusal.
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

/** A connection for workers: it waits for Redis to come back, for ever. */
export function connectWorker(url: string, log: Log): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    connectTimeout: 2_000,
    retryStrategy: (times) => Math.min(100 * times, 1_000),
  });
  return reportState(redis, log);
}

/** Logs each change between reachable and unreachable once, not every failed attempt. */
function reportState(redis: Redis, log: Log): Redis {
  let reachable: boolean | undefined;
  redis.on('ready', () => {
    if (reachable === false) log.info('Redis is back');
    reachable = true;
  });
  redis.on('error', (error: Error) => {
    if (reachable !== false) log.error('Redis is unreachable, trying again', { error });
    reachable = false;
  });
  return redis;
}

/** Ends a connection: politely when it is up, else at once. */
export async function disconnect(redis: Redis): Promise<void> {
  if (redis.status === 'ready') await redis.quit().catch(() => redis.disconnect());
  else redis.disconnect();
}

/** Whether a command failed because Redis is away or does not answer. */
export function isRedisUnavailable(error: unknown): boolean {
  const { name, message } = (error ?? {}) as { name?: string; message?: string };
  return (
    name === 'MaxRetriesPerRequestError' ||
    /^(Command timed out|Connection is closed\.?|Stream isn't writeable)/.test(message ?? '')
  );
}
