import type { Redis as SingleRedis } from 'ioredis';
import { coalesce } from './coalesce.ts';
import { connectionOf } from './redis.ts';
import type { Redis } from './redis.ts';

/** Confirms that replicas have what was written. */
export interface Replication {
  /**
   * Runs a write to the node of `key`, and resolves when enough replicas have it.
   * @throws when they do not have it in time, or when the connection changed meanwhile: the write may be lost
   */
  confirm(key: string, write: () => Promise<unknown>): Promise<void>;
}

/** The replicas that must have a write, and how long they may take in milliseconds. */
export interface ReplicationOptions {
  replicas: number;
  waitMs: number;
}

/**
 * Opens the confirmation of writes by `WAIT`. It waits for the writes that were sent over the same TCP connection, so
 * it is only valid while the connection stays the same. Simultaneous writes share one `WAIT`.
 */
export function openReplication(redis: Redis, { replicas, waitMs }: ReplicationOptions): Replication {
  const connections = new WeakMap<SingleRedis, { losses: number; wait(item: undefined): Promise<number> }>();
  const open = (connection: SingleRedis) => {
    const wait = async (requests: undefined[]) => {
      const confirmed = await connection.wait(replicas, waitMs);
      return requests.map(() => confirmed);
    };
    const opened = {
      losses: 0,
      wait: coalesce(wait, { maxWeight: 10_000, concurrency: 1, retryIndividually: false }),
    };
    connection.on('close', () => (opened.losses += 1));
    connections.set(connection, opened);
    return opened;
  };
  return {
    async confirm(key, write) {
      const connection = connectionOf(redis, key);
      if (connection === undefined) throw new Error('the node of the queue is unknown');
      const opened = connections.get(connection) ?? open(connection);
      const lossesBefore = opened.losses;
      await write();
      const confirmed = await opened.wait(undefined);
      if (opened.losses !== lossesBefore || connectionOf(redis, key) !== connection)
        throw new Error('the connection to Redis changed before the replicas confirmed');
      if (confirmed < replicas)
        throw new Error(`${confirmed} of ${replicas} replicas confirmed the request in time`);
    },
  };
}
