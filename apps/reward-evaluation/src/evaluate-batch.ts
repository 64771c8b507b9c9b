import { evaluateBatches, isTransient, parkOrder, recordFailure } from '@rewardhook/database/stages';
import type { DecisionRow, DueBatch, EvaluatedBatch, Sql } from '@rewardhook/database/stages';
import { coalesceBy, enqueueDueWith } from '@rewardhook/pipeline';
import type { Jobs, Producer } from '@rewardhook/pipeline';
import { logRequests, openSemaphore } from '@rewardhook/process';
import type { Logger, Tracing } from '@rewardhook/process';
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
 * Most orders that are evaluated in one transaction: those of a batch, or of several batches of a merchant. A job of another
 * merchant waits until such a transaction ends.
 */
const maxOrders = 100;

/** Most transactions of a process at a time, and of them those of one merchant: these wait for each other where they update its sum of rewards. */
const maxTransactions = { ofAll: 4, ofOneMerchant: 2 };

/**
 * Returns the function that evaluates one batch: it writes the decisions with everything that follows from them, then
 * enqueues the delivery of the new events and the orders that have to be evaluated again. Batches of a merchant that wait at
 * the same time share a transaction. When it fails because of its content, each of them is evaluated alone.
 */
export function batchEvaluator(options: {
  database: Sql;
  delivery: Producer<'webhook-delivery'>;
  evaluation: Producer<'reward-evaluation'>;
  onDecisions(reason: string, count: number): void;
  /** Called for each batch with the time from due to evaluated, in seconds. */
  onEvaluated(dueSeconds: number): void;
  tracing: Tracing;
  log: Logger;
}): (batch: Batch) => Promise<Evaluated> {
  const { database, delivery, evaluation, onDecisions, onEvaluated, tracing, log } = options;
  const enqueueDue = enqueueDueWith(evaluation, delivery, log);

  const transactions = openSemaphore({ permits: () => maxTransactions.ofAll });
  const evaluateWithPermit = async (batches: Batch[]): Promise<Evaluated[]> => {
    const release = await transactions.acquire(batches[0]?.merchantId);
    return evaluateNow(batches).finally(release);
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
      { trace: traces.begin },
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
    await enqueueDue(merchantId, { endpointIds, enqueued });
    return resultsOf(batchIds, claimed, decisions);
  };

  return coalesceBy(({ merchantId }: Batch) => merchantId, evaluateWithPermit, {
    maxWeight: maxOrders,
    weightOf: ({ orders }) => orders,
    concurrency: maxTransactions.ofOneMerchant,
    retryIndividually: (error) => !isTransient(error),
  });
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
 * Returns the handler of the evaluate stage. A failing batch is retried. When it has failed repeatedly with an error that is
 * not transient, its orders are evaluated one by one, and those that fail alone are parked: the others get their decisions.
 */
export function batchJobHandler(options: {
  database: Sql;
  evaluate(batch: Batch): Promise<Evaluated>;
  log: Logger;
}): (batch: Batch) => Promise<Evaluated> {
  const { database, evaluate, log } = options;

  /** If this ends early, the sweeper enqueues the batches that are left. */
  const evaluateOrParkEach = async (batches: DueBatch[]): Promise<Evaluated> => {
    const results: Evaluated[] = [];
    for (const batch of batches)
      try {
        results.push(await evaluate(batch));
      } catch (error) {
        if (isTransient(error)) throw error;
        await parkOrder(database, batch, messageOf(error));
        log.warn('the evaluation of an order failed repeatedly; the order is parked', { ...batch, error });
      }
    return sumOf(results);
  };

  return async (batch) => {
    try {
      return await evaluate(batch);
    } catch (error) {
      if (isTransient(error)) throw error;
      const single = await recordFailure(database, batch, messageOf(error));
      if (!single) throw error;
      log.warn('the evaluation of a batch failed repeatedly; its orders are evaluated one by one', {
        ...batch,
        error,
      });
      return evaluateOrParkEach(single);
    }
  };
}

function sumOf(results: Evaluated[]): Evaluated {
  const sum: Evaluated = { evaluated: 0, reasons: {} };
  for (const { evaluated, reasons } of results) {
    sum.evaluated += evaluated;
    for (const [reason, count] of Object.entries(reasons))
      sum.reasons[reason] = (sum.reasons[reason] ?? 0) + count;
  }
  return sum;
}

/** The message of an error, truncated to the length that is stored. */
function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll('\0', '').slice(0, 500);
}
