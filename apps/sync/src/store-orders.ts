import { upsertOrders } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { coalesce } from '@rewardhook/pipeline';
import type { Jobs, Producer } from '@rewardhook/pipeline';
import { logRequests } from '@rewardhook/process';
import type { Logger, Tracing } from '@rewardhook/process';

/** Maximum number of orders in one statement. */
const maxOrders = 2_000;

/** A job, for {@link upsertOrders}. */
type Batch = Jobs['sync'];

/** The result of a job, which the dashboard shows. */
export interface Stored {
  /** Number of orders in the job. */
  orders: number;
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

  const store = async (batches: Batch[]): Promise<Stored[]> => {
    const due = await upsertOrders(database, batches);
    // The due batches are stored: when a job cannot be added now, the sweeper of the next stage adds it later.
    await evaluation
      .enqueue(due)
      .catch((error: unknown) => log.warn('jobs could not be added; the sweeper will add them', { error }));
    logRequests(
      log,
      'orders stored',
      { jobs: batches.length, orders: sumOf(batches, 'count'), toEvaluate: sumOf(due, 'orders') },
      batches,
    );
    return batches.map(({ count }) => ({ orders: count }));
  };
  const storeTogether = coalesce(store, {
    maxWeight: maxOrders,
    weightOf: ({ count }: Batch) => count,
    groupOf: ({ merchantId }) => merchantId,
    concurrency: 2,
  });
  return async (job) => {
    const span = tracing.startSpan('store orders', {
      kind: 'consumer',
      parent: job.traceparent,
      attributes: {
        'rewardhook.merchant_id': job.merchantId,
        'rewardhook.request_id': job.requestId,
        'rewardhook.orders': job.count,
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

function sumOf<Field extends string>(values: Record<Field, number>[], field: Field): number {
  return values.reduce((sum, value) => sum + value[field], 0);
}
