import { evaluateBatches, failuresBeforeSplit, isTransient, recordFailure } from '@rewardhook/database';
import type { Database, DecisionRow, DueBatch, EvaluatedBatch } from '@rewardhook/database';
import { coalesceBy, isLargeJob, smallBatchOrders, watchMerchants } from '@rewardhook/pipeline';
import type { Jobs, Producer } from '@rewardhook/pipeline';
import { logRequests, openSemaphore } from '@rewardhook/process';
import type { Logger, Tracing } from '@rewardhook/process';
import { decide } from './decide.ts';
import { openEvaluationTraces } from './evaluation-traces.ts';

/** The data of a job: a batch of orders that are due. */
type Batch = Jobs['reward-evaluation'];

/** The result of a job. */
export interface Evaluated {
  /** Number of orders that were evaluated. */
  evaluated: number;
  /** Number of orders by reason code. */
  reasons: Record<string, number>;
}

/**
 * Most orders of the batches of a merchant that are evaluated in one transaction. With 500, the fixed cost of a transaction
 * is a tenth of its cost. With more, a job of another merchant waits longer until one of this merchant ends: so it is less while
 * jobs of several merchants arrive.
 */
const maxOrders = { ofOneMerchant: 500, ofSeveral: 100 };

/**
 * Most transactions of a merchant at a time, of small and of large batches each. All of them update the sum of the
 * merchant's rewards, and wait for each other there. Fewer while jobs of several merchants arrive. The large ones of all
 * merchants together have the same limit, because more of them would leave small ones less of the processors.
 */
const transactions = { ofOneMerchant: 2, ofSeveral: 1 };

/**
 * A large transaction that takes longer than `afterMs` milliseconds probably waits for a lock, and lets another one begin, but
 * at most `atMost` run at a time.
 */
const longTransaction = { afterMs: 500, atMost: 3 };

/**
 * Returns the function that evaluates one batch: it writes the decisions with everything that follows from them, then
 * enqueues the delivery of the new events and the orders that have to be evaluated again. Batches of a merchant that wait at
 * the same time share a transaction. When it fails because of its content, each of them is evaluated alone.
 */
export function batchEvaluator(options: {
  database: Database;
  delivery: Producer<'webhook-delivery'>;
  evaluation: Producer<'reward-evaluation'>;
  /** Most transactions at a time. */
  concurrency: number;
  onDecisions(reason: string, count: number): void;
  /** Called for each batch with the time from due to evaluated, in seconds. */
  onEvaluated(dueSeconds: number): void;
  tracing: Tracing;
  log: Logger;
}): (batch: Batch) => Promise<Evaluated> {
  const { database, delivery, evaluation, concurrency, onDecisions, onEvaluated, tracing, log } = options;

  const merchants = watchMerchants();
  const transactionsOfMerchant = () =>
    merchants.isShared() ? transactions.ofSeveral : transactions.ofOneMerchant;
  const all = openSemaphore({ permits: () => concurrency });
  // One permit is left for small ones, also while all large ones wait for locks.
  const large = openSemaphore({
    permits: () => Math.max(1, Math.min(longTransaction.atMost, concurrency - 1)),
  });
  const largeAndShort = openSemaphore({
    permits: transactionsOfMerchant,
    maxHoldMs: longTransaction.afterMs,
  });
  const evaluateWithPermit = async (batches: Batch[]): Promise<Evaluated[]> => {
    const release = await all.acquire();
    return evaluateNow(batches).finally(release);
  };
  const evaluateLarge = async (batches: Batch[]): Promise<Evaluated[]> => {
    const release = await large.acquire();
    const releaseShort = await largeAndShort.acquire();
    return evaluateWithPermit(batches).finally(() => {
      releaseShort();
      release();
    });
  };
  const evaluateNow = async (batches: Batch[]): Promise<Evaluated[]> => {
    const startedAt = performance.now();
    const { merchantId } = batches[0] as Batch;
    const batchIds = batches.map(({ batchId }) => batchId);
    const traces = openEvaluationTraces(tracing, { merchantId, batchIds });
    const { decisions, endpointIds, enqueued, claimed } = await evaluateBatches(
      database,
      merchantId,
      batchIds,
      decide,
      traces.begin,
    ).catch((error: unknown) => {
      traces.end(error);
      throw error;
    });
    traces.end();
    logRequests(
      log,
      'orders evaluated',
      { merchantId, batchIds, decisions: decisions.length },
      traces.requests(),
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    for (const { dueSeconds } of claimed) onEvaluated(dueSeconds + seconds);
    for (const [reason, count] of Object.entries(countReasons(decisions))) onDecisions(reason, count);
    await enqueueNext(merchantId, endpointIds, enqueued);
    return resultsOf(batchIds, claimed, decisions);
  };

  async function enqueueNext(merchantId: string, endpointIds: string[], batches: DueBatch[]): Promise<void> {
    try {
      await delivery.enqueue(endpointIds.map((endpointId) => ({ merchantId, endpointId })));
      await evaluation.enqueue(batches);
    } catch (error) {
      // Everything is stored: the sweepers enqueue what could not be enqueued here.
      log.warn('the next jobs could not be enqueued; the sweeper enqueues them', { merchantId, error });
    }
  }

  const merchantOf = ({ merchantId }: Batch) => merchantId;
  const limits = (ordersOfSeveral: number) => ({
    maxWeight: () => (merchants.isShared() ? ordersOfSeveral : maxOrders.ofOneMerchant),
    weightOf: ({ orders }: Batch) => orders,
    concurrency: transactionsOfMerchant,
    retryIndividually: (error: unknown) => !isTransient(error),
  });
  // Small batches share no transaction with large ones, and do not wait for those of their merchant.
  const evaluateSmallTogether = coalesceBy(merchantOf, evaluateWithPermit, limits(smallBatchOrders));
  const evaluateLargeTogether = coalesceBy(merchantOf, evaluateLarge, limits(maxOrders.ofSeveral));
  return (batch) => {
    merchants.record(batch.merchantId);
    return isLargeJob('reward-evaluation', batch)
      ? evaluateLargeTogether(batch)
      : evaluateSmallTogether(batch);
  };
}

/** The result of each batch. Decisions about orders of no batch, which were evaluated with them, count to the first. */
function resultsOf(batchIds: string[], claimed: EvaluatedBatch[], decisions: DecisionRow[]): Evaluated[] {
  const batchOf = new Map(claimed.flatMap(({ batchId, orderIds }) => orderIds.map((id) => [id, batchId])));
  const first = claimed[0]?.batchId;
  return batchIds.map((batchId) => {
    const own = decisions.filter(({ orderId }) => (batchOf.get(orderId) ?? first) === batchId);
    return { evaluated: own.length, reasons: countReasons(own) };
  });
}

function countReasons(decisions: DecisionRow[]): Record<string, number> {
  const reasons: Record<string, number> = {};
  for (const { reason } of decisions) reasons[reason] = (reasons[reason] ?? 0) + 1;
  return reasons;
}

/**
 * Returns the handler of the evaluate stage. A failing batch is retried. A batch that has failed repeatedly with an
 * error that is not transient gets no more retries: its job ends, and `failureIsolator` takes over.
 */
export function batchJobHandler(options: {
  database: Database;
  evaluate(batch: Batch): Promise<Evaluated>;
  log: Logger;
}): (batch: Batch) => Promise<Evaluated> {
  const { database, evaluate, log } = options;

  return async (batch) => {
    try {
      return await evaluate(batch);
    } catch (error) {
      if (isTransient(error)) throw error;
      const failures = await recordFailure(database, batch, messageOf(error));
      if (failures < failuresBeforeSplit) throw error;
      log.warn('the evaluation of a batch failed repeatedly; its failing orders are isolated', {
        ...batch,
        failures,
        error,
      });
      return { evaluated: 0, reasons: {} };
    }
  };
}

/** The message of an error, truncated to the length that is stored. */
export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll('\0', '').slice(0, 500);
}
