import type { EarlierReward, OrderState, Program, ReferralState } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { readEarlierRewards } from './earlier-rewards.ts';
import type { EarlierRewards } from './earlier-rewards.ts';
import { isBefore, laterOf } from '../client/timestamps.ts';
import { readEarliestPaid, readOrders } from './order-facts.ts';
import type { EarliestPaid, StoredOrder } from './order-facts.ts';
import { readReferrals } from './referral-facts.ts';

/** An order with what is known of its member, as far as the rules look at it. */
export interface DueOrder {
  order: OrderState;
  referral: ReferralState | null;
  earlierPaidOrder: string | null;
  rewards: EarlierReward[];
  /** The earliest time for what follows: after its last decision and all that happened to these rewards. */
  notBefore: string | null;
}

/** What the judgement of orders needs of the database. */
export interface Facts {
  /** Oldest first. */
  orders: StoredOrder[];
  /** By referee. */
  referrals: Map<string, ReferralState>;
  /** By member. */
  earliest: Map<string, EarliestPaid>;
  rewards: EarlierRewards;
}

/** All versions of a merchant's program; the last one is in force. */
export type Programs = Program[];

/** Reads what the rules look at for these orders, oldest first. */
export async function readFacts(
  sql: Queryable,
  merchantId: string,
  orderIds: string[],
  programs: Programs,
): Promise<DueOrder[]> {
  const orders = await readOrders(sql, merchantId, orderIds);
  const memberIds = membersOf(orders);
  const referrals = await readReferrals(sql, merchantId, memberIds);
  return dueOrders(await readAround(sql, merchantId, orders, referrals, programs));
}

/** Reads what else the rules look at. */
export async function readAround(
  sql: Queryable,
  merchantId: string,
  orders: StoredOrder[],
  referrals: Map<string, ReferralState>,
  programs: Programs,
): Promise<Facts> {
  const memberIds = membersOf(orders);
  const earliest = await readEarliestPaid(sql, merchantId, memberIds);
  const orderIds = orders.map(({ order }) => order.orderId);
  const concerned = referralsOf(orders, referrals);
  const rewards = await readEarlierRewards(sql, merchantId, orderIds, concerned, programs);
  return { orders, referrals, earliest, rewards };
}

function membersOf(orders: StoredOrder[]): string[] {
  return [...new Set(orders.map(({ order }) => order.memberId))];
}

/** The referrals of the members of these orders. */
export function referralsOf(orders: StoredOrder[], referrals: Map<string, ReferralState>): ReferralState[] {
  return membersOf(orders).flatMap((memberId) => referrals.get(memberId) ?? []);
}

/** Each order with what the rules look at. */
export function dueOrders({ orders, referrals, earliest, rewards }: Facts): DueOrder[] {
  return orders.map(({ order, last }) => {
    const referral = referrals.get(order.memberId) ?? null;
    const first = earliest.get(order.memberId);
    const earlier = first && isBefore(first.orderDate, order.orderDate) ? first.orderIds[0] : undefined;
    const own = rewards.of(order.orderId, referral?.id);
    const afterRewards = rewards.notBefore(own);
    return {
      order,
      referral,
      earlierPaidOrder: earlier ?? null,
      rewards: own,
      notBefore: last ? laterOf(last.notBefore, afterRewards) : afterRewards,
    };
  });
}

/** All versions of the merchant's program, the one in force last. */
export async function readPrograms(sql: Queryable, merchantId: string): Promise<[...Program[], Program]> {
  const programs = await sql.query<Program>(
    'SELECT program_id AS id, version, rule FROM program_versions WHERE merchant_id = $1 ORDER BY version',
    [merchantId],
  );
  const current = programs.pop();
  if (!current) throw new Error(`merchant ${merchantId} has no program`);
  return [...programs, current];
}
