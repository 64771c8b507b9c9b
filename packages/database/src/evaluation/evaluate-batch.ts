import type { Program, ProgramUsage } from '@rewardhook/rewards';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import { retryConflicts, uniqueViolation } from '../client/database-errors.ts';
import { insertDecisions } from './decisions.ts';
import type { DecisionRow } from './decisions.ts';
import { enqueueOrdersOfMembers, claimBatch } from './due-batches.ts';
import type { DueBatch } from './due-batches.ts';
import { dueOrders, readAround, readPrograms } from './evaluation-input.ts';
import type { DueOrder, Facts } from './evaluation-input.ts';
import { bookSpent, lockProgramUsage } from './program-usage.ts';
import { confirmRewards, insertEvents, insertRewards, withdrawRewards } from '../rewards/reward-rows.ts';
import type { EventRow, RewardChange, RewardRow } from '../rewards/reward-rows.ts';
import { readClock } from '../client/timestamps.ts';
import { lockOrders } from './order-facts.ts';
import { lockReferrals } from './referral-facts.ts';
import { addSiblings } from './siblings.ts';

/** What judging a batch of orders came to. */
export interface EvaluationRows {
  decisions: DecisionRow[];
  rewards: RewardRow[];
  /** Pending rewards that are confirmed. */
  confirmed: RewardChange[];
  /** Rewards that are taken back. */
  withdrawn: RewardChange[];
  events: EventRow[];
  /** Members whose orders must be looked at again, because a reward fell away. */
  membersToReevaluate: string[];
}

export interface EvaluatedBatch {
  decisions: DecisionRow[];
  /** Endpoints that have new deliveries. */
  endpointIds: string[];
  /** What waits to be judged because of it. */
  review: DueBatch[];
}

/**
 * Says what follows for the orders that are due, at `now` by the clock of the database. Must be pure: it runs again after
 * a deadlock.
 */
export type Decide = (due: DueOrder[], program: Program, use: ProgramUsage, now: string) => EvaluationRows;

/**
 * Judges a batch of orders: reads what the rules look at, lets `decide` say what follows, and writes decisions, rewards,
 * events and deliveries, all in one transaction with the end of the batch. Of one that was judged already comes nothing.
 */
export function evaluateBatch(
  database: Database,
  merchantId: string,
  batchId: string,
  decide: Decide,
): Promise<EvaluatedBatch> {
  const judge = async (tx: Queryable): Promise<EvaluatedBatch> => {
    const batch = await claimBatch(tx, merchantId, batchId);
    if (!batch) return { decisions: [], endpointIds: [], review: [] };
    const members = new Set(batch.memberIds);
    const referrals = await lockReferrals(tx, merchantId, [...members]);
    const programs = await readPrograms(tx, merchantId);
    const program = programs.at(-1) as Program;
    const use = await lockProgramUsage(tx, merchantId, program, referrals.values());
    const stored = await lockOrders(tx, merchantId, batch.orderIds);
    // An order that belongs to somebody else by now has a newer version, which came with a batch of its own.
    const orders = stored.filter(({ order }) => members.has(order.memberId));
    const own = await readAround(tx, merchantId, orders, referrals, programs);
    const facts =
      program.rule.trigger === 'first_order' ? await addSiblings(tx, merchantId, own, programs) : own;
    // With all locks held: whoever held them before has written earlier times, and who comes next writes later ones.
    const rows = decide(dueOrders(facts), program, use, await readClock(tx));
    // Where an order was judged for another member last, that member's orders are reviewed.
    const former = orders.flatMap(({ order, last }) =>
      last && last.memberId !== order.memberId ? last.memberId : [],
    );
    return write(tx, merchantId, facts, {
      ...rows,
      membersToReevaluate: [...rows.membersToReevaluate, ...former],
    });
  };
  // Two batches can hold one order, for two members: the second to number its decision looks again.
  return retryConflicts(() => transact(database, judge), uniqueViolation);
}

async function write(
  tx: Queryable,
  merchantId: string,
  facts: Facts,
  rows: EvaluationRows,
): Promise<EvaluatedBatch> {
  await insertDecisions(tx, merchantId, rows.decisions, facts.orders);
  const withdrawn = rows.withdrawn.length > 0 ? await withdrawRewards(tx, merchantId, rows.withdrawn) : [];
  const given = rows.rewards.length > 0 ? await insertRewards(tx, merchantId, rows.rewards) : [];
  const confirmed = rows.confirmed.length > 0 ? await confirmRewards(tx, merchantId, rows.confirmed) : [];
  // An event tells of a change of state: no change, no event.
  const changed = new Set([...withdrawn, ...given, ...confirmed].map(({ id }) => id));
  const events = rows.events.filter(({ rewardId }) => changed.has(rewardId));
  const endpointIds = events.length > 0 ? await insertEvents(tx, merchantId, events) : [];
  const review = await enqueueOrdersOfMembers(tx, merchantId, [...new Set(rows.membersToReevaluate)]);
  const sum = (rewards: { amount: string }[]) =>
    rewards.reduce((total, { amount }) => total + BigInt(amount), 0n);
  await bookSpent(tx, merchantId, sum(given) - sum(withdrawn));
  return { decisions: rows.decisions, endpointIds, review };
}
