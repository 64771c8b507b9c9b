import {
  cancelDeliveriesOfDeletedEndpoints,
  deleteExpiredHosts,
  listDueEndpoints,
  releaseHeldDeliveries,
  runReplayBatch,
} from '@rewardhook/database/stages';
import type { Sql } from '@rewardhook/database/stages';
import type { Producer } from '@rewardhook/pipeline';
import { repeat } from '@rewardhook/process';
import type { Logger } from '@rewardhook/process';
import type { Dispatcher } from './dispatch-endpoint.ts';

const dueIntervalMs = 500;
const replayIntervalMs = 250;
const strayIntervalMs = 5_000;

interface SweeperDependencies {
  database: Sql;
  queue: Producer<'webhook-delivery'>;
  log: Logger;
}

/** A periodic task; `stop` waits for the run in progress. */
export interface Sweeper {
  stop(): Promise<void>;
}

/**
 * Enqueues endpoints that have deliveries due and no job. Retries have no delayed jobs: their due times are stored in
 * PostgreSQL only, because Redis may lose its content at any time.
 */
export function startDueSweeper(
  { database, queue, log }: SweeperDependencies,
  isActive: Dispatcher['isActive'],
): Sweeper {
  return repeat('sweep of due deliveries', dueIntervalMs, log, async () => {
    const due = await listDueEndpoints(database);
    await queue.enqueue(due.filter(({ endpointId }) => !isActive(endpointId)));
  });
}

/**
 * Runs the replays that merchants requested, batch by batch, and enqueues the endpoints of each batch. The time of the
 * next batch is stored in PostgreSQL: workers share the work, and the rate belongs to the replay, not to a worker.
 */
export function startReplaySweeper({ database, queue, log }: SweeperDependencies): Sweeper {
  const stopping = new AbortController();
  const sweeper = repeat('sweep of replays', replayIntervalMs, log, async () => {
    while (!stopping.signal.aborted) {
      const batch = await runReplayBatch(database);
      if (!batch) return;
      const { merchantId, replayId, endpointIds, finished } = batch;
      if (finished) log.info('a replay is complete', { merchantId, replayId });
      // When this fails, the sweep of due deliveries finds them.
      await queue.enqueue(endpointIds.map((endpointId) => ({ merchantId, endpointId })));
    }
  });
  return {
    async stop() {
      stopping.abort();
      await sweeper.stop();
    },
  };
}

/**
 * Settles stray deliveries: an evaluation that read an endpoint as paused, or as existing, may commit after the pause
 * or the endpoint ended. Its deliveries would stay held, or due, forever. Also deletes host rate limits that have
 * expired.
 */
export function startStraySweeper({ database, queue, log }: SweeperDependencies): Sweeper {
  return repeat('sweep of stray deliveries', strayIntervalMs, log, async () => {
    await queue.enqueue(await releaseHeldDeliveries(database));
    await cancelDeliveriesOfDeletedEndpoints(database);
    await deleteExpiredHosts(database);
  });
}
