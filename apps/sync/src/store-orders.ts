import { upsertOrders } from '@rewardhook/database';
import type { Database, DueBatch, OrderBatch } from '@rewardhook/database';
import { coalesce } from '@rewardhook/pipeline';
import type { Jobs, Producer } from '@rewardhook/pipeline';
import type { Logger } from '@rewardhook/process';

/** Most orders in one statement. */
const maxOrders = 2_000;

export interface Stored {
  /** Orders in the job. */
  orders: number;
  /** Those of linked members, which are judged next. */
  toEvaluate: number;
}

/**
 * The sync stage: stores the orders of a job and passes on those whose member may be due. Jobs that wait at
 * the same time share their statements.
 */
export function storeOrders(options: {
  database: Database;
  evaluation: Producer<'reward-evaluation'>;
  log: Logger;
}): (job: Jobs['sync']) => Promise<Stored> {
  const { database, evaluation, log } = options;

  const store = async (batches: OrderBatch[]): Promise<Stored[]> => {
    const { due, ordersDue } = await upsertOrders(database, batches);
    await queueJudgements(due);
    return batches.map(({ orders }, index) => ({ orders: orders.length, toEvaluate: ordersDue[index] ?? 0 }));
  };
  const queueJudgements = async (due: DueBatch[]) => {
    // The marks are stored: a job that cannot be queued now is queued by the sweeper.
    await evaluation
      .enqueue(due)
      .catch((error: unknown) => log.warn('judgements are left to the sweeper', { error }));
  };
  return coalesce(store, { maxWeight: maxOrders, weightOf: ({ orders }) => orders.length, concurrency: 2 });
}
