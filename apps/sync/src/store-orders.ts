import { listUnknownMerchants, upsertOrders } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { coalesce, countedOrders, UnhandledJob, watchMerchants } from '@rewardhook/pipeline';
import type { Jobs, Producer } from '@rewardhook/pipeline';
import { logRequests } from '@rewardhook/process';
import type { Logger, Tracing } from '@rewardhook/process';

/**
 * Maximum number of orders in one statement, where large orders count as several. While jobs of several merchants arrive,
 * statements are smaller: a job waits for those in progress, and for its own.
 */
const maxOrders = { ofOneMerchant: 2_000, ofSeveral: 250 };

/** A job that counts as at most this number of orders is small: it shares no statement with larger ones. */
const smallJobOrders = 25;

/**
 * Statements in progress, of small jobs and of others each. While jobs of several merchants arrive, large ones run one at a
 * time, so that the small ones get more of the processors of PostgreSQL.
 */
const statements = { ofOneMerchant: 2, ofSeveral: 1, small: 2 };

/**
 * While there are many large jobs, those that arrive within this time share a statement: an order takes PostgreSQL and the
 * worker less processor time in larger statements.
 */
const spacing = { afterItems: 2, ms: 40 };

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
  const requireMerchant = openMerchantCheck(database);
  const merchants = watchMerchants();
  const limits = {
    maxWeight: () => (merchants.isShared() ? maxOrders.ofSeveral : maxOrders.ofOneMerchant),
    weightOf,
    groupOf: ({ merchantId }: Batch) => merchantId,
  };
  const storeSmall = coalesce(store, { ...limits, concurrency: statements.small });
  const storeLarge = coalesce(store, {
    ...limits,
    concurrency: () => (merchants.isShared() ? statements.ofSeveral : statements.ofOneMerchant),
    spacing,
  });
  const storeTogether = (job: Batch) => (weightOf(job) <= smallJobOrders ? storeSmall : storeLarge)(job);
  return async (job) => {
    merchants.record(job.merchantId);
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
      await requireMerchant(job.merchantId);
      const stored = await storeTogether({ ...job, traceparent: span.traceparent });
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
 * Returns a function that checks that a merchant exists. A job of another merchant is not of this database, or the database
 * was restored to a time before the merchant existed: the job keeps its orders.
 */
function openMerchantCheck(database: Database): (merchantId: string) => Promise<void> {
  const known = new Set<string>();
  let forgetAt = 0;
  return async (merchantId) => {
    if (performance.now() >= forgetAt) {
      known.clear();
      forgetAt = performance.now() + knownForMs;
    }
    if (known.has(merchantId)) return;
    const unknown = await listUnknownMerchants(database, [merchantId]);
    if (unknown.length > 0)
      throw new UnhandledJob(`the merchant ${merchantId} does not exist in the database of this process`);
    known.add(merchantId);
  };
}

const weightOf = ({ count, json }: Batch): number => countedOrders(count, json.length);

function sumOf<Field extends string>(values: Record<Field, number>[], field: Field): number {
  return values.reduce((sum, value) => sum + value[field], 0);
}
