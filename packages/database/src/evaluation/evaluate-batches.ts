import { modeOf } from '@rewardhook/contract';
import type { Program, ProgramUsage, StoredReferral } from '@rewardhook/rewards';
import { transact } from '../client/client.ts';
import type { Sql, Queryable } from '../client/client.ts';
import { retryConflicts, TransactionConflict, uniqueViolation } from '../client/database-errors.ts';
import { readClock } from '../client/timestamps.ts';
import { insertEvents } from '../events/insert-events.ts';
import { findProgram } from './program-versions.ts';
import {
  amendRewards,
  confirmRewards,
  insertRewards,
  rescheduleRewards,
  withdrawRewards,
} from '../rewards/rewards.ts';
import type {
  Confirmation,
  HoldChange,
  RewardAmendment,
  RewardChange,
  RewardRow,
} from '../rewards/rewards.ts';
import { insertDecisions } from './decisions.ts';
import type { DecisionRow } from './decisions.ts';
import { claimBatches, enqueueFormerMembers, enqueueOrders } from './due-batches.ts';
import type { BatchRequest, DueBatch, OrdersToReevaluate } from './due-batches.ts';
import { batchRequests } from './batch-requests.ts';
import type { BatchRequests } from './batch-requests.ts';
import { addRelatedOrders, dueOrders, readFacts } from './evaluation-input.ts';
import type { DueOrder, EvaluationFacts } from './evaluation-input.ts';
import { listHolders } from './earlier-rewards.ts';
import { lockOrderStates } from './order-states.ts';
import { countRewardsOfReferrers, lockProgramUsage, updateSpent } from './program-usage.ts';
import { lockReferralStates, storeLinksInForce } from './referral-states.ts';

/** An event about a reward, with its exact body. `deliver: false` stores it without deliveries. */
export interface EventRow {
  id: string;
  type: string;
  rewardId: string;
  /** The order whose evaluation caused it. */
  orderId: string;
  body: string;
  deliver: boolean;
  /** ISO 8601 in UTC with microseconds. */
  at: string;
}

/** The rows that an evaluation writes. */
export interface EvaluationRows {
  decisions: DecisionRow[];
  rewards: RewardRow[];
  /** Pending rewards with another amount or month. */
  amended: RewardAmendment[];
  /** Pending rewards whose hold ends at another time. */
  rescheduled: HoldChange[];
  /** Pending rewards that become confirmed. */
  confirmed: Confirmation[];
  /** Rewards that are taken back. */
  withdrawn: RewardChange[];
  /** The ids of those among them that are replaced by a reward with another amount. */
  adjusted: string[];
  events: EventRow[];
  /** What must be evaluated again, because rewards were taken back. */
  again: Required<OrdersToReevaluate>;
}

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
 * Decides about the orders of a merchant that are due, under a program, at `now` by the database's clock. Must be pure: it runs again
 * after a deadlock.
 */
export type Decide = (
  due: DueOrder[],
  program: Program,
  usage: ProgramUsage,
  { merchantId, now }: { merchantId: string; now: string },
) => EvaluationRows;

/**
 * Called with the requests of the batches when they are claimed, and again after a deadlock. Returns them with the traceparents
 * that their events get.
 */
export type TraceRequests = (requests: BatchRequest[]) => BatchRequest[];

/**
 * Evaluates batches of a merchant's orders in one transaction: reads and locks what the rules read, calls `decide`, writes
 * decisions, rewards, events and deliveries, and deletes the batches. A batch that was evaluated already has no effect, nor has
 * one of deleted test data.
 */
export function evaluateBatches(
  database: Sql,
  merchantId: string,
  batchIds: string[],
  decide: Decide,
  trace: TraceRequests = (requests) => requests,
): Promise<EvaluatedBatches> {
  const evaluate = async (tx: Queryable): Promise<EvaluatedBatches> => {
    const nothing: EvaluatedBatches = { decisions: [], endpointIds: [], enqueued: [], claimed: [] };
    const claimed = await claimBatches(tx, merchantId, batchIds);
    if (claimed.length === 0) return nothing;
    const requests = batchRequests(claimed, trace);
    const members = new Set(claimed.flatMap(({ memberIds }) => memberIds));
    // The program is read with the referrals locked: a later evaluation of a referee does not use an earlier version.
    const [referrals, program] = await Promise.all([
      lockReferralStates(tx, merchantId, [...members]),
      findProgram(tx, merchantId),
    ]);
    if (!program) {
      // The id that a test side had before its data was deleted: the batches are deleted with the rest.
      if (modeOf(merchantId) === 'test') return nothing;
      throw new Error(`merchant ${merchantId} has no program`);
    }
    const spent = await lockProgramUsage(
      tx,
      merchantId,
      program,
      [...referrals.values()].flatMap(referrersOf),
    );
    const stored = await lockOrderStates(
      tx,
      merchantId,
      claimed.flatMap(({ orderIds }) => orderIds),
    );
    // An order that has moved to another member has a newer version, with a batch of its own.
    const orders = stored.filter(({ order }) => members.has(order.memberId));
    // Without an order that has moved, its former member may be new, and another of the earliest orders the first.
    const moved = orders.flatMap(({ order: { orderId, version, memberId }, last }) =>
      last && last.memberId !== memberId ? { orderId, version, formerMemberId: last.memberId } : [],
    );
    // The clock is read with all locks held, so that the times follow the order in which transactions held the locks: again when
    // related orders were locked after it.
    const [own, clock] = await Promise.all([
      readFacts(tx, merchantId, orders, referrals, [program]),
      readClock(tx),
    ]);
    const facts =
      program.rule.trigger === 'first_order' ? await addRelatedOrders(tx, merchantId, own, [program]) : own;
    const now = facts === own ? clock : await readClock(tx);
    const due = dueOrders(facts, now);
    const byReferrer = await countRewardsOfReferrers(
      tx,
      merchantId,
      program.rule,
      due.flatMap(({ order, referral }) =>
        referral ? { memberId: referral.referrerMemberId, month: order.month } : [],
      ),
      facts.rewards.count,
    );
    const rows = decide(due, program, { spent, byReferrer }, { merchantId, now });
    rows.again.allOrdersOf.push(...(await storeLinksInForce(tx, merchantId, facts.stored, facts.referrals)));
    const { changed: _changed, ...written } = await writeRows(tx, merchantId, { facts, requests }, rows);
    const ofFormerMembers = await enqueueFormerMembers(tx, merchantId, moved);
    return { ...written, enqueued: [...written.enqueued, ...ofFormerMembers], claimed };
  };
  // Two batches can contain the same order, for two members. Both number its decision alike: the second transaction
  // fails on the key and is retried.
  return retryConflicts(() => transact(database, evaluate, { keepPlans: true }), uniqueViolation);
}

/** The referrers of a referral: of the link in force, and of the one that waits. */
export function referrersOf({ referrerMemberId, other }: StoredReferral): string[] {
  return other ? [referrerMemberId, other.referrerMemberId] : [referrerMemberId];
}

/** Writes the rows of an evaluation. Returns what has to be enqueued, and the rewards that were changed. @throws TransactionConflict */
export async function writeRows(
  tx: Queryable,
  merchantId: string,
  { facts, requests }: { facts: EvaluationFacts; requests: BatchRequests },
  rows: EvaluationRows,
): Promise<Omit<EvaluatedBatches, 'claimed'> & { changed: Set<string> }> {
  // Before new rewards are inserted, because a live reward of the same subject and role excludes them.
  const withdrawn = rows.withdrawn.length > 0 ? await withdrawRewards(tx, merchantId, rows.withdrawn) : [];
  const amended = rows.amended.length > 0 ? await amendRewards(tx, merchantId, rows.amended) : [];
  if (rows.rescheduled.length > 0) await rescheduleRewards(tx, merchantId, rows.rescheduled);
  const [, given, confirmed] = await Promise.all([
    insertDecisions(tx, merchantId, rows.decisions, facts.orders),
    rows.rewards.length > 0 ? insertRewards(tx, merchantId, rows.rewards) : [],
    rows.confirmed.length > 0 ? confirmRewards(tx, merchantId, rows.confirmed) : [],
  ]);
  // An event reports a change of state: a reward that was not changed has no event.
  const changed = new Set([...withdrawn, ...given, ...confirmed].map(({ id }) => id));
  const events = rows.events
    .filter(({ rewardId }) => changed.has(rewardId))
    .map((event) => ({ ...event, request: requests.ofOrder(event.orderId) }));
  const [endpointIds, enqueued] = await Promise.all([
    events.length > 0 ? insertEvents(tx, merchantId, events) : [],
    enqueueOrders(tx, merchantId, rows.again, requests.only),
    updateSpent(tx, merchantId, sumOf(given) + sumOf(amended) - sumOf(withdrawn)),
  ]);
  const holders = await listHolders(tx, merchantId, rows.adjusted);
  // An endpoint no longer registers `reward.revoke`: evaluated again, the reward is kept.
  if (holders.size > 0) throw new TransactionConflict('an endpoint has changed');
  for (const { id } of amended) changed.add(id);
  return { decisions: rows.decisions, endpointIds, enqueued, changed };
}

function sumOf(rewards: { amount: string }[]): bigint {
  return rewards.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}
