import { upsertOrders } from '@rewardhook/database';
import type { Database, OrderBatch } from '@rewardhook/database';
import { coalesce } from '@rewardhook/pipeline';
import type { Jobs, Producer } from '@rewardhook/pipeline';
import { logRequests } from '@rewardhook/process';
import type { Logger, Tracing } from '@rewardhook/process';

/** Maximum number of orders in one statement. */
const maxOrders = 2_000;

/** The result of a job, which the dashboard shows. */
export interface Stored {
  /** Number of orders in the job. */
  orders: number;
  /** Number of these that are enqueued for evaluation because their member has a referral. */
  toEvaluate: number;
}

/**
 * The stage `sync`: stores the orders of a job, and enqueues those of members with a referral for evaluation. Jobs that
 * wait at the same time share their statements.
 */
export function storeOrders(options: {
  database: Database;
  evaluation: Producer<'reward-evaluation'>;
  tracing: Tracing;
  log: Logger;
}): (job: Jobs['sync']) => Promise<Stored> {
  const { database, evaluation, tracing, log } = options;

  const store = async (batches: OrderBatch[]): Promise<Stored[]> => {
    const { due, ordersDue } = await upsertOrders(database, batches);
    // The due batches are stored: when a job cannot be added now, the sweeper of the next stage adds it later.
    await evaluation
      .enqueue(due)
      .catch((error: unknown) => log.warn('jobs could not be added; the sweeper will add them', { error }));
    logRequests(
      log,
      'orders stored',
      { jobs: batches.length, orders: batches.reduce((sum, { orders }) => sum + orders.length, 0) },
      batches,
    );
    return batches.map(({ orders }, index) => ({
      orders: orders.length,
      toEvaluate: ordersDue[index] ?? 0,
    }));
  };
  const storeTogether = coalesce(store, {
    maxWeight: maxOrders,
    weightOf: ({ orders }: OrderBatch) => orders.length,
    concurrency: 2,
  });
  return async (job) => {
    const span = tracing.startSpan('store orders', {
      kind: 'consumer',
      parent: job.traceparent,
      attributes: {
        'rewardhook.merchant_id': job.merchantId,
        'rewardhook.request_id': job.requestId,
        'rewardhook.orders': job.orders.length,
      },
    });
    try {
      const stored = await storeTogether({ ...job, traceparent: span.traceparent });
      span.end();
      return stored;
    } catch (error) {
      span.end(error);
      throw error;
    }
  };
}
