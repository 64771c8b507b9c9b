import { runReplayBatch } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import type { Producer } from '@rewardhook/pipeline';
import { repeat } from '@rewardhook/process';
import type { Logger } from '@rewardhook/process';

/** How often a worker looks for portions that are due, in milliseconds. */
const pauseMs = 250;

/**
 * Carries out the replays that merchants asked for, portion by portion, and wakes the endpoints of each. When the next
 * portion is due stands in PostgreSQL: workers share the work, and the pace is that of the replay, not of a worker.
 */
export function startReplaySweeper({
  database,
  delivery,
  log,
}: {
  database: Database;
  delivery: Producer<'webhook-delivery'>;
  log: Logger;
}): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const sweeper = repeat('sweep of replays', pauseMs, log, async () => {
    while (!stopping.signal.aborted) {
      const portion = await runReplayBatch(database);
      if (!portion) return;
      const { merchantId, replayId, endpointIds, finished } = portion;
      if (finished) log.info('a replay is done', { merchantId, replayId });
      // What cannot be queued now is found by the sweeper of deliveries.
      await delivery.enqueue(endpointIds.map((endpointId) => ({ merchantId, endpointId })));
    }
  });
  return {
    async stop() {
      stopping.abort();
      await sweeper.stop();
    },
  };
}
