import type { Queryable } from '../client/client.ts';
import { TransactionConflict } from '../client/database-errors.ts';
import { insertEvents } from '../events/insert-events.ts';
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
import type { BatchRequests } from './batch-requests.ts';
import { insertDecisions } from './decisions.ts';
import type { DecisionRow } from './decisions.ts';
import { enqueueOrders } from './due-batches.ts';
import type { DueBatch, OrdersToReevaluate } from './due-batches.ts';
import { listNotifiedEndpoints } from './earlier-rewards.ts';
import type { StoredOrder } from './order-states.ts';
import { updateSpent } from './program-usage.ts';
import { lockFormerReferrals, writeReferredOrders } from './referred-orders.ts';
import type { ReferredOrder } from './referred-orders.ts';

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
  /** The evaluated orders, for the figures. */
  referredOrders: ReferredOrder[];
  /** What must be evaluated again, because rewards were taken back. */
  reevaluate: Required<OrdersToReevaluate>;
}

/** What follows from the rows that were written. */
export interface WrittenRows {
  /** Endpoints that have new deliveries. */
  endpointIds: string[];
  /** Batches that are due because of them. */
  enqueued: DueBatch[];
  /** The ids of the rewards that were changed. */
  changed: Set<string>;
}

/**
 * Writes the rows of an evaluation or a correction. An event reports a change of state: a reward that was not changed has no event.
 * @throws TransactionConflict
 */
export async function writeRows(
  tx: Queryable,
  merchantId: string,
  { orders, requests }: { orders: StoredOrder[]; requests: BatchRequests },
  rows: EvaluationRows,
): Promise<WrittenRows> {
  await lockFormerReferrals(tx, merchantId, rows.referredOrders);
  // Before new rewards are inserted, because a live reward of the same subject and role excludes them.
  const withdrawn = rows.withdrawn.length > 0 ? await withdrawRewards(tx, merchantId, rows.withdrawn) : [];
  const amended = rows.amended.length > 0 ? await amendRewards(tx, merchantId, rows.amended) : [];
  if (rows.rescheduled.length > 0) await rescheduleRewards(tx, merchantId, rows.rescheduled);
  const [, given, confirmed] = await Promise.all([
    insertDecisions(tx, merchantId, rows.decisions, orders),
    rows.rewards.length > 0 ? insertRewards(tx, merchantId, rows.rewards) : [],
    rows.confirmed.length > 0 ? confirmRewards(tx, merchantId, rows.confirmed) : [],
  ]);
  const changed = new Set([...withdrawn, ...given, ...confirmed].map(({ id }) => id));
  const events = rows.events
    .filter(({ rewardId }) => changed.has(rewardId))
    .map((event) => ({ ...event, request: requests.ofOrder(event.orderId) }));
  const [endpointIds, enqueued] = await Promise.all([
    events.length > 0 ? insertEvents(tx, merchantId, events) : [],
    enqueueOrders(tx, merchantId, rows.reevaluate, requests.only),
    updateSpent(tx, merchantId, sumOf(given) + sumOf(amended) - sumOf(withdrawn)),
    writeReferredOrders(tx, merchantId, rows.referredOrders),
  ]);
  const endpoints = await listNotifiedEndpoints(tx, merchantId, rows.adjusted);
  // An endpoint no longer registers `reward.revoke`: evaluated again, the reward is kept.
  if (endpoints.size > 0) throw new TransactionConflict('an endpoint has changed');
  for (const { id } of amended) changed.add(id);
  return { endpointIds, enqueued, changed };
}

function sumOf(rewards: { amount: string }[]): bigint {
  return rewards.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}
