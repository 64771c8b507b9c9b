import { modeOf } from '@rewardhook/contract';
import { transact } from '../client/client.ts';
import type { Sql, Queryable } from '../client/client.ts';
import { retryConflicts, uniqueViolation } from '../client/database-errors.ts';
import { batchRequests } from './batch-requests.ts';
import { decide } from './decide.ts';
import type { DecisionRow } from './decisions.ts';
import { claimBatches, enqueueFormerMembers } from './due-batches.ts';
import type { BatchRequest, DueBatch, MovedOrder } from './due-batches.ts';
import { lockRows } from './lock-rows.ts';
import type { StoredOrder } from './order-states.ts';
import { countRewardsOfReferrers, referrerMonths } from './program-usage.ts';
import { dueOrders, readLockedFacts } from './read-facts.ts';
import { storeLinksInForce } from './referral-states.ts';
import { writeRows } from './write-rows.ts';

/** The result of an evaluation. */
export interface EvaluatedBatches {
  decisions: DecisionRow[];
  /** Endpoints that have new deliveries. */
  endpointIds: string[];
  /** Batches that are due because of these. */
  enqueued: DueBatch[];
  /** The batches, without those that were evaluated before. */
  claimed: EvaluatedBatch[];
}

export interface EvaluatedBatch {
  batchId: string;
  orderIds: string[];
  /** How long it had been due when its evaluation began, in seconds. */
  dueSeconds: number;
}

/**
 * Called with the requests of the batches when they are claimed, and again after a deadlock. Returns them with the traceparents
 * that their events get.
 */
export type TraceRequests = (requests: BatchRequest[]) => BatchRequest[];

/** What tests replace, and what is traced. `decideWith` must be pure: it runs again after a deadlock. */
export interface EvaluationOptions {
  decideWith?: typeof decide;
  trace?: TraceRequests;
}

/**
 * Evaluates batches of a merchant's orders in one transaction: locks and reads what the rules read, decides, and writes decisions,
 * rewards, events and deliveries. A batch that was evaluated already has no effect, nor has one of deleted test data.
 */
export function evaluateBatches(
  database: Sql,
  merchantId: string,
  batchIds: string[],
  { decideWith = decide, trace = (requests) => requests }: EvaluationOptions = {},
): Promise<EvaluatedBatches> {
  const evaluate = async (tx: Queryable): Promise<EvaluatedBatches> => {
    const claimed = await claimBatches(tx, merchantId, batchIds);
    if (claimed.length === 0) return nothing;
    const requests = batchRequests(claimed, trace);
    const members = new Set(claimed.flatMap(({ memberIds }) => memberIds));

    const locked = await lockRows(tx, merchantId, {
      memberIds: [...members],
      orderIds: claimed.flatMap(({ orderIds }) => orderIds),
    });
    if (!locked) return withoutProgram(merchantId);
    const { program, spent, referrals } = locked;
    // An order that has moved to another member has a newer version, with a batch of its own.
    const orders = locked.orders.filter(({ order }) => members.has(order.memberId));

    const { facts, now } = await readLockedFacts(tx, merchantId, { orders, referrals, program });
    const due = dueOrders(facts, now);
    const byReferrer = await countRewardsOfReferrers(
      tx,
      merchantId,
      program.terms,
      referrerMonths(due),
      facts.rewards.count,
    );

    const rows = decideWith(due, program, { spent, byReferrer }, { merchantId, now });

    rows.reevaluate.allOrdersOf.push(
      ...(await storeLinksInForce(tx, merchantId, facts.stored, facts.referrals)),
    );
    const { endpointIds, enqueued } = await writeRows(
      tx,
      merchantId,
      { orders: facts.orders, requests },
      rows,
    );
    // Without an order that has moved, its former member may be new, and another of the earliest orders the first.
    const ofFormerMembers = await enqueueFormerMembers(tx, merchantId, movedOrders(orders));
    return { decisions: rows.decisions, endpointIds, enqueued: [...enqueued, ...ofFormerMembers], claimed };
  };
  // Two batches can contain the same order, for two members. Both number its decision alike: the second transaction
  // fails on the key and is retried.
  return retryConflicts(() => transact(database, evaluate, { keepPlans: true }), uniqueViolation);
}

const nothing: EvaluatedBatches = { decisions: [], endpointIds: [], enqueued: [], claimed: [] };

/** The id that a test side had before its data was deleted has no program: its batches are deleted with the rest. */
function withoutProgram(merchantId: string): EvaluatedBatches {
  if (modeOf(merchantId) === 'test') return nothing;
  throw new Error(`merchant ${merchantId} has no program`);
}

/** The orders that have moved to another member since their newest decision. */
function movedOrders(orders: StoredOrder[]): MovedOrder[] {
  return orders.flatMap(({ order: { orderId, version, memberId }, last }) =>
    last && last.memberId !== memberId ? { orderId, version, formerMemberId: last.memberId } : [],
  );
}
