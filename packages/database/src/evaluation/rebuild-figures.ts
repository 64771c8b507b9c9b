import { hasEarned } from '@rewardhook/rewards';
import { transact } from '../client/client.ts';
import type { Queryable, Sql } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { run, statement } from '../client/statement.ts';
import { readClock } from '../client/timestamps.ts';
import { lockOrderStates } from './order-states.ts';
import type { StoredOrder } from './order-states.ts';
import { dueOrders, readFacts } from './read-facts.ts';
import { lockReferralStates } from './referral-states.ts';
import {
  lockFormerReferrals,
  referredOrderOf,
  settleFirstOrders,
  writeReferredOrders,
} from './referred-orders.ts';

/** What was examined, and how many rows were wrong. */
export interface RebuiltFigures {
  ordersExamined: number;
  rowsWritten: number;
  rowsRemoved: number;
  firstOrdersChanged: number;
}

/** Orders of one transaction. */
const batchRows = 500;

interface PageOrder {
  orderId: string;
  memberId: string;
  /** Whether the member has a referral. */
  isLinked: boolean;
  /** The referral of its row; null without one. */
  storedReferralId: string | null;
}

const listOrdersSql = statement<PageOrder, [merchantId: string, after: string, limit: number]>({
  name: 'list orders to rebuild figures',
  parameters: ['text', 'text', 'bigint'],
  columns: { orderId: 'text', memberId: 'text', isLinked: 'boolean', storedReferralId: 'text' },
  text: `
    SELECT o.order_id AS "orderId", o.member_id AS "memberId", linked.id IS NOT NULL AS "isLinked",
      stored.referral_id AS "storedReferralId"
    FROM (
      SELECT order_id, member_id FROM orders
      WHERE merchant_id = (SELECT $1::text) AND order_id > $2 ORDER BY order_id LIMIT $3) o
    LEFT JOIN LATERAL (
      SELECT id FROM referrals
      WHERE merchant_id = (SELECT $1::text) AND referee_member_id >= o.member_id AND referee_member_id <= o.member_id
      ORDER BY referee_member_id OFFSET 0) linked ON true
    LEFT JOIN LATERAL (
      SELECT referral_id FROM referred_orders
      WHERE merchant_id = (SELECT $1::text) AND order_id >= o.order_id AND order_id <= o.order_id
      ORDER BY order_id OFFSET 0) stored ON true
    ORDER BY o.order_id`,
});

/**
 * Writes the rows behind the figures of a merchant again from its orders, referrals, rewards and decisions, in short transactions. It can
 * run at any time, and again after it was interrupted. An order that is due is left to its evaluation.
 */
export async function rebuildFigures(database: Sql, merchantId: string): Promise<RebuiltFigures> {
  const sum = { ordersExamined: 0, rowsWritten: 0, rowsRemoved: 0, firstOrdersChanged: 0 };
  for (let after: string | undefined = ''; after !== undefined;) {
    const from: string = after;
    const page = await retryConflicts(() => transact(database, (tx) => rebuildPage(tx, merchantId, from)));
    sum.ordersExamined += page.ordersExamined;
    sum.rowsWritten += page.rowsWritten;
    sum.rowsRemoved += page.rowsRemoved;
    sum.firstOrdersChanged += page.firstOrdersChanged;
    after = page.last;
  }
  return sum;
}

/** Rebuilds the rows of the orders after one. `last` is undefined after the last page. */
async function rebuildPage(
  tx: Queryable,
  merchantId: string,
  after: string,
): Promise<RebuiltFigures & { last: string | undefined }> {
  const page = await run(tx, listOrdersSql, [merchantId, after, batchRows]);
  const concerned = new Map(
    page.filter((one) => one.isLinked || one.storedReferralId !== null).map((one) => [one.orderId, one]),
  );
  const memberIds = [...new Set([...concerned.values()].map(({ memberId }) => memberId))];
  const stored = await lockReferralStates(tx, merchantId, memberIds);
  const locked = await lockOrderStates(tx, merchantId, [...concerned.keys()]);
  const orders = locked.filter(
    ({ order, last }) =>
      order.memberId === concerned.get(order.orderId)?.memberId &&
      isDecidedFor(stored.get(order.memberId), order, last),
  );
  const facts = await readFacts(tx, merchantId, orders, stored, []);
  const due = dueOrders(facts, await readClock(tx));
  const rows = due.map((one, index) => ({
    ...referredOrderOf(one, {
      programVersion: facts.orders[index]?.last?.programVersion ?? 0,
      hasEarned: hasEarned(one.order, one.rewards),
    }),
    formerReferralId: concerned.get(one.order.orderId)?.storedReferralId ?? null,
  }));
  await lockFormerReferrals(tx, merchantId, rows);
  const { written, removed } = await writeReferredOrders(tx, merchantId, rows);
  const firstOrdersChanged = await settleFirstOrders(tx, merchantId, {
    referralIds: [...stored.values()].map(({ id }) => id),
    orderIds: rows.map(({ orderId }) => orderId),
  });
  return {
    last: page.at(-1)?.orderId,
    ordersExamined: page.length,
    rowsWritten: written,
    rowsRemoved: removed,
    firstOrdersChanged,
  };
}

/** Whether the newest decision is about this version of the order and its live referral: otherwise the order is due. */
function isDecidedFor(
  referral: { id: string } | undefined,
  order: StoredOrder['order'],
  last: StoredOrder['last'],
): boolean {
  return !referral || (last?.orderVersion === order.version && last.referralId === referral.id);
}
