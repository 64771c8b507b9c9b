import { Cluster } from 'ioredis';
import { disconnect, mastersOf } from './redis.ts';
import type { Redis } from './redis.ts';

/** A second connection to the same Redis, for commands with much data. */
export interface BulkConnection {
  redis: Redis;
  /** Whether commands can be sent. While it connects, use the other connection. */
  isReady(): boolean;
  close(): Promise<void>;
}

/** How long a command may take, in milliseconds. The intake stops waiting for it earlier, depending on its bytes. */
const commandTimeout = 10_000;

/**
 * Opens a connection for commands with much data. Redis executes the commands of a connection in their order, so a small
 * one would wait until the megabytes before it are received. This connection reconnects together with the other one, so
 * that after a failover both lead to the same server; each connection of a cluster finds its masters itself.
 */
export function openBulkConnection(redis: Redis): BulkConnection {
  const bulk =
    redis instanceof Cluster
      ? redis.duplicate(undefined, { redisOptions: { commandTimeout } })
      : redis.duplicate({ commandTimeout });
  // The other connection reports the same.
  bulk.on('error', () => undefined);
  const reconnect = () => {
    if (!(bulk instanceof Cluster)) bulk.disconnect(true);
  };
  redis.on('close', reconnect);
  // Reconnecting while Sentinel is being asked for the master ends a connection of ioredis for good.
  let closed = false;
  bulk.on('end', () => {
    if (!closed) void bulk.connect().catch(() => undefined);
  });
  return {
    redis: bulk,
    isReady: () => bulk.status === 'ready' && connectMasters(bulk),
    async close() {
      closed = true;
      redis.off('close', reconnect);
      await disconnect(bulk);
    },
  };
}

/** Whether every master is connected. Those of a cluster connect with the first command, which would wait for it. */
function connectMasters(redis: Redis): boolean {
  const masters = mastersOf(redis);
  for (const master of masters) if (master.status === 'wait') master.connect().catch(() => undefined);
  return masters.every(({ status }) => status === 'ready');
}
