import {
  findRelatedOrders,
  hasFirstOrderRule,
  isBefore,
  laterOf,
  linkInForce,
  productFiltersOf,
} from '@rewardhook/rewards';
import type {
  EarlierReward,
  OrderState,
  ProductFilter,
  Program,
  ReferralState,
  StoredReferral,
} from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { listEarlierRewards } from './earlier-rewards.ts';
import type { EarlierRewards } from './earlier-rewards.ts';
import type { LockedRows } from './lock-rows.ts';
import { productFiltersWith, withProducts } from './order-products.ts';
import { byAge, listEarliestPaid, listOrderStates, lockOrderStates } from './order-states.ts';
import type { EarliestPaid, StoredOrder } from './order-states.ts';
import { listReferralStates } from './referral-states.ts';
import { readClock } from '../client/timestamps.ts';

/** An order that is due for evaluation, with what the rules read. */
export interface DueOrder {
  /** The database's clock when they were read, after all locks: ISO 8601 in UTC with microseconds. */
  now: string;
  order: OrderState;
  referral: ReferralState | null;
  /** The id of a paid order of the member with an earlier date, if there is one. */
  earlierPaidOrder: string | null;
  rewards: EarlierReward[];
  /** The version of the order that the newest decision is about; null when there is none. */
  decidedVersion: number | null;
  /** The referral of the newest decision; null when there is none. */
  decidedReferralId: string | null;
  /** The earliest time for the next decision: after the last one, and after every change of these rewards. */
  notBefore: string | null;
}

/** What the evaluation of some orders reads. */
export interface EvaluationFacts {
  /** Oldest first. */
  orders: StoredOrder[];
  /** By referee: as they are stored, and with the links that are in force. */
  stored: Map<string, StoredReferral>;
  referrals: Map<string, ReferralState>;
  /** By member. */
  earliestPaid: Map<string, EarliestPaid>;
  rewards: EarlierRewards;
}

/** What else is read. */
export interface ReadOptions {
  /** Filters of products beside those of the programs. */
  products?: ProductFilter[];
}

/** Lists these orders with what the rules read, oldest first. Versions of the program that are not given are read. */
export async function listDueOrders(
  database: Queryable,
  merchantId: string,
  orderIds: string[],
  programs: Program[],
  options: ReadOptions = {},
): Promise<DueOrder[]> {
  const orders = await listOrderStates(database, merchantId, orderIds);
  const referrals = await listReferralStates(database, merchantId, membersOf(orders));
  const facts = await readFacts(database, merchantId, orders, referrals, programs, options);
  return dueOrders(facts, await readClock(database));
}

/** Lists what an evaluation of one order would evaluate now under this program, as it does but without locks: related orders too. */
export async function listDueOrdersWith(
  database: Queryable,
  merchantId: string,
  orderId: string,
  program: Program,
): Promise<DueOrder[]> {
  const orders = await listOrderStates(database, merchantId, [orderId]);
  const referrals = await listReferralStates(database, merchantId, membersOf(orders));
  const own = await readFacts(database, merchantId, orders, referrals, [program]);
  const { facts } = await addRelatedOrders(database, merchantId, own, program, listOrderStates);
  return dueOrders(facts, await readClock(database));
}

/** Whether a referee was new when they were linked, by the orders that are stored now. */
export async function wasNew(
  database: Queryable,
  referral: { merchantId: string; refereeMemberId: string },
): Promise<boolean> {
  const { merchantId, refereeMemberId } = referral;
  const referrals = await listReferralStates(database, merchantId, [refereeMemberId]);
  const facts = await readFacts(database, merchantId, [], referrals, []);
  return (facts.referrals.get(refereeMemberId)?.olderOrder ?? null) === null;
}

/** Reads what the rules read besides orders and referrals, and decides which links are in force. */
export async function readFacts(
  database: Queryable,
  merchantId: string,
  orders: StoredOrder[],
  stored: Map<string, StoredReferral>,
  programs: Program[],
  { products = [] }: ReadOptions = {},
): Promise<EvaluationFacts> {
  const [earliestPaid, rewards] = await Promise.all([
    listEarliestPaid(
      database,
      merchantId,
      [...new Set([...membersOf(orders), ...stored.keys()])],
      (memberId) => {
        const referral = stored.get(memberId);
        return referral && referral.fromOrderId !== null ? referral.linkedAt : undefined;
      },
    ),
    listEarlierRewards(
      database,
      merchantId,
      orders.map(({ order }) => order.orderId),
      [...stored.values()],
      programs,
    ),
  ]);
  const referrals = new Map(
    [...stored].map(([memberId, referral]) => {
      const first = earliestPaid.get(memberId);
      const earliest = first && { orderId: first.orderIds[0] ?? '', orderDate: first.orderDate };
      return [memberId, linkInForce(referral, earliest)];
    }),
  );
  const filters = [...products, ...programs.flatMap(({ terms }) => productFiltersOf(terms))];
  const withThem = await withProducts(database, merchantId, orders, productFiltersWith(filters, rewards));
  return { orders: withThem, stored, referrals, earliestPaid, rewards };
}

/**
 * Reads what the rules read of locked orders, related orders included, which are locked too. The clock is read after the last lock,
 * so that the times follow the order in which transactions held the locks.
 */
export async function readLockedFacts(
  tx: Queryable,
  merchantId: string,
  { orders, referrals, program }: Pick<LockedRows, 'orders' | 'referrals' | 'program'>,
): Promise<{ facts: EvaluationFacts; now: string }> {
  const [own, clock] = await Promise.all([
    readFacts(tx, merchantId, orders, referrals, [program]),
    readClock(tx),
  ]);
  const { facts, relatedWereRead } = await addRelatedOrders(tx, merchantId, own, program, lockOrderStates);
  return { facts, now: relatedWereRead ? await readClock(tx) : clock };
}

/**
 * Adds the related orders, which are evaluated with these under the first-order rule. Only the facts show which they are. Returns
 * also whether any were read.
 */
async function addRelatedOrders(
  tx: Queryable,
  merchantId: string,
  facts: EvaluationFacts,
  program: Program,
  read: typeof lockOrderStates,
): Promise<{ facts: EvaluationFacts; relatedWereRead: boolean }> {
  const related =
    hasFirstOrderRule(program.terms) &&
    findRelatedOrders({
      orders: facts.orders.map(({ order }) => order),
      referrals: facts.referrals,
      earliestPaidOrders: (memberId) => facts.earliestPaid.get(memberId)?.orderIds ?? [],
      rewardedOrders: (referralId) => facts.rewards.rewardedOrders(referralId),
    });
  if (!related || related.orderIds.length === 0) return { facts, relatedWereRead: false };
  const found = await read(tx, merchantId, related.orderIds);
  const added = found.filter(({ order }) => related.includes(order));
  const rewards = await listEarlierRewards(
    tx,
    merchantId,
    added.map(({ order }) => order.orderId),
    referralsOf(added, facts.stored),
    [program],
    facts.rewards,
  );
  const filtersOf = productFiltersWith(productFiltersOf(program.terms), rewards);
  const orders = [...facts.orders, ...(await withProducts(tx, merchantId, added, filtersOf))].sort(byAge);
  return { facts: { ...facts, orders, rewards }, relatedWereRead: true };
}

/** Combines the facts to the input of each order. */
export function dueOrders(
  { orders, referrals, earliestPaid, rewards }: EvaluationFacts,
  now: string,
): DueOrder[] {
  return orders.map(({ order, last }) => {
    const referral = referrals.get(order.memberId) ?? null;
    const first = earliestPaid.get(order.memberId);
    const earlier = first && isBefore(first.orderDate, order.orderDate) ? first.orderIds[0] : undefined;
    const own = rewards.of(order.orderId, referral);
    const afterRewards = rewards.notBefore(own);
    return {
      now,
      order,
      referral,
      earlierPaidOrder: earlier ?? null,
      rewards: own,
      decidedVersion: last?.orderVersion ?? null,
      decidedReferralId: last?.referralId ?? null,
      notBefore: last ? laterOf(last.notBefore, afterRewards) : afterRewards,
    };
  });
}

function membersOf(orders: StoredOrder[]): string[] {
  return [...new Set(orders.map(({ order }) => order.memberId))];
}

/** The referrals of the members of these orders. */
function referralsOf(orders: StoredOrder[], referrals: Map<string, StoredReferral>): StoredReferral[] {
  return membersOf(orders).flatMap((memberId) => referrals.get(memberId) ?? []);
}
