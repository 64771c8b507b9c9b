import { findOwnerState } from '@rewardhook/database/operations';
import { upsertOrders } from '@rewardhook/database/stages';
import type { Sql } from '@rewardhook/database/stages';
import { coalesce, UnhandledJob } from '@rewardhook/pipeline';
import type { Jobs, Producer } from '@rewardhook/pipeline';
import { logRequests } from '@rewardhook/process';
import type { Logger, Tracing } from '@rewardhook/process';

/**
 * Maximum number of orders in one statement, where large orders count as their KiB, and of statements in progress. A larger
 * statement takes less time for each order, but a job waits for those in progress, and for its own.
 */
const limits = { maxWeight: 1_000, concurrency: 2 };

/** A job, for {@link upsertOrders}. */
type Batch = Jobs['sync'];

/** The result of a job, which the dashboard shows. */
export interface Stored {
  /** Number of orders in the job. */
  orders: number;
}

/**
 * The stage `sync`: stores the orders of a job, and enqueues those of members with a referral for evaluation. Jobs that
 * wait at the same time share their statements, in which merchants alternate.
 */
export function storeOrders(options: {
  database: Sql;
  evaluation: Producer<'reward-evaluation'>;
  /** Called with the number of orders that were dropped, because the stored state has a later `updated_at`. */
  onDropped(orders: number): void;
  tracing: Tracing;
  log: Logger;
  /** Whether a statement has the orders of one merchant only; default false. A thousand single orders of a thousand merchants then take 22 times as long. */
  oneMerchant?: boolean;
}): (job: Jobs['sync']) => Promise<Stored> {
  const { database, evaluation, onDropped, tracing, log, oneMerchant = false } = options;

  const store = async (batches: Batch[]): Promise<Stored[]> => {
    const due = await upsertOrders(database, batches, onDropped);
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
  const isMerchant = openMerchantCheck(database);
  const storeTogether = coalesce(store, {
    ...limits,
    weightOf: ({ count, orders }) => Math.max(count, orders.length / 1_024),
    groupOf: ({ merchantId }) => merchantId,
    oneGroup: oneMerchant,
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
      const stored = (await isMerchant(job.merchantId))
        ? await storeTogether({ ...job, traceparent: span.traceparent })
        : { orders: 0 };
      span.end();
      return stored;
    } catch (error) {
      span.end(error);
      throw error;
    }
  };
}

/** For this time, in milliseconds, a merchant that was found is not looked up again. */
const knownForMs = 60_000;

/**
 * Returns a function that checks that a merchant exists; false for a former id of a test side, whose data was deleted. Otherwise
 * the job is not of this database, or the database was restored to a time before the merchant existed: the job keeps its orders.
 */
function openMerchantCheck(database: Sql): (merchantId: string) => Promise<boolean> {
  const known = new Set<string>();
  let forgetAt = 0;
  return async (merchantId) => {
    if (performance.now() >= forgetAt) {
      known.clear();
      forgetAt = performance.now() + knownForMs;
    }
    if (known.has(merchantId)) return true;
    const state = await findOwnerState(database, merchantId);
    if (state === 'unknown')
      throw new UnhandledJob(`the merchant ${merchantId} does not exist in the database of this process`);
    if (state === 'merchant') known.add(merchantId);
    return state === 'merchant';
  };
}

function sumOf<Field extends string>(values: Record<Field, number>[], field: Field): number {
  return values.reduce((sum, value) => sum + value[field], 0);
}
