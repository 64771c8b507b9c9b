import { judgeOrders } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import type { Jobs, Producer } from '@rewardhook/pipeline';
import type { Logger } from '@rewardhook/process';
import { decide } from './decide.ts';

/** Orders judged in one transaction. */
const chunkSize = 500;

export interface Evaluated {
  judged: number;
  /** How many orders came to which reason. */
  reasons: Record<string, number>;
}

/** The evaluate stage: judges orders and, once that is stored, wakes the delivery of what is to be told. */
export function evaluateOrders(options: {
  database: Database;
  delivery: Producer<'webhook-delivery'>;
  evaluation: Producer<'reward-evaluation'>;
  onDecision(reason: string): void;
  log: Logger;
}): (job: Jobs['reward-evaluation']) => Promise<Evaluated> {
  const { database, delivery, evaluation, onDecision, log } = options;

  return async ({ merchantId, orderIds }) => {
    const reasons: Record<string, number> = {};
    let judged = 0;
    for (let start = 0; start < orderIds.length; start += chunkSize) {
      const batch = await judgeOrders(database, merchantId, orderIds.slice(start, start + chunkSize), decide);
      for (const { reason } of batch.decisions) {
        reasons[reason] = (reasons[reason] ?? 0) + 1;
        onDecision(reason);
      }
      judged += batch.decisions.length;
      await wakeNext(merchantId, batch.endpointIds, batch.reviewOrderIds);
    }
    return { judged, reasons };
  };

  async function wakeNext(
    merchantId: string,
    endpointIds: string[],
    reviewOrderIds: string[],
  ): Promise<void> {
    try {
      await delivery.enqueue(endpointIds.map((endpointId) => ({ merchantId, endpointId })));
      if (reviewOrderIds.length > 0) await evaluation.enqueue([{ merchantId, orderIds: reviewOrderIds }]);
    } catch (error) {
      // Everything is stored: what cannot be queued now is queued by the sweepers.
      log.warn('the next stage is left to the sweeper', { merchantId, error });
    }
  }
}
