import type { Program } from '@rewardhook/rewards';
import { transact } from './client.ts';
import type { Database, Sql } from './client.ts';
import { retryConflicts } from './conflicts.ts';
import { markOrdersOfMembers } from './due-judgements.ts';
import { addSiblings, readFacts, readFormerMembers, readPrograms } from './judgement-input.ts';
import type { DueOrder } from './judgement-input.ts';
import { bookSpent, lockProgramUse, lockReferrals } from './judgement-locks.ts';
import type { ProgramUse } from './judgement-locks.ts';
import {
  confirmRewards,
  deleteDue,
  insertDecisions,
  insertEvents,
  insertRewards,
  withdrawRewards,
} from './judgement-rows.ts';
import type { DecisionRow, EventRow, RewardRow } from './judgement-rows.ts';

/** What judging a batch of orders came to. */
export interface JudgementRows {
  /** Orders that are done with, at the version that was judged. */
  judged: { orderId: string; version: number }[];
  decisions: DecisionRow[];
  rewards: RewardRow[];
  /** Ids of pending rewards that are confirmed. */
  confirmed: string[];
  /** Ids of rewards that are taken back. */
  withdrawn: string[];
  events: EventRow[];
  /** Members whose orders must be looked at again, because a reward fell away. */
  membersToReview: string[];
}

export interface JudgedBatch {
  decisions: DecisionRow[];
  /** Endpoints that have new deliveries. */
  endpointIds: string[];
  /** Orders that wait to be judged now. */
  reviewOrderIds: string[];
}

/** Says what follows for the orders that are due. Must be pure: it runs again after a deadlock. */
export type Decide = (due: DueOrder[], program: Program, use: ProgramUse) => JudgementRows;

/**
 * Judges orders of a merchant: reads what waits, lets `decide` say what follows, and writes decisions, rewards,
 * events and deliveries, all in one transaction.
 */
export function judgeOrders(
  database: Database,
  merchantId: string,
  orderIds: string[],
  decide: Decide,
): Promise<JudgedBatch> {
  return retryConflicts(() =>
    transact(database, async (tx) => {
      await lockReferrals(tx, merchantId, orderIds);
      const programs = await readPrograms(tx, merchantId);
      const program = programs.at(-1) as Program;
      const siblings =
        program.rule.trigger === 'first_order' ? await addSiblings(tx, merchantId, orderIds) : [];
      const use = await lockProgramUse(tx, merchantId, program, orderIds);
      const due = await readFacts(tx, merchantId, [...orderIds, ...siblings], programs, { due: true });
      const formerMembers = await readFormerMembers(tx, merchantId, orderIds);
      const rows = decide(due, program, use);
      return write(tx, merchantId, { ...rows, membersToReview: [...rows.membersToReview, ...formerMembers] });
    }),
  );
}

async function write(tx: Sql, merchantId: string, rows: JudgementRows): Promise<JudgedBatch> {
  if (rows.decisions.length > 0) await insertDecisions(tx, merchantId, rows.decisions);
  const withdrawn = rows.withdrawn.length > 0 ? await withdrawRewards(tx, merchantId, rows.withdrawn) : [];
  const given = rows.rewards.length > 0 ? await insertRewards(tx, merchantId, rows.rewards) : [];
  const confirmed = rows.confirmed.length > 0 ? await confirmRewards(tx, merchantId, rows.confirmed) : [];
  // An event tells of a change of state: no change, no event.
  const changed = new Set([...withdrawn, ...given, ...confirmed].map(({ id }) => id));
  const events = rows.events.filter(({ rewardId }) => changed.has(rewardId));
  const endpointIds = events.length > 0 ? await insertEvents(tx, merchantId, events) : [];
  if (rows.judged.length > 0) await deleteDue(tx, merchantId, rows.judged);
  const review = await markOrdersOfMembers(tx, merchantId, rows.membersToReview);
  const sum = (rewards: { amount: string }[]) =>
    rewards.reduce((total, { amount }) => total + Number(amount), 0);
  await bookSpent(tx, merchantId, sum(given) - sum(withdrawn));
  return {
    decisions: rows.decisions,
    endpointIds,
    reviewOrderIds: review.flatMap((orders) => orders.orderIds),
  };
}
