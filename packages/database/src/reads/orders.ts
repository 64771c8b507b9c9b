import { readMemberSearch } from '@rewardhook/contract';
import type { Answer } from '@rewardhook/contract';
import { openSemaphore } from '@rewardhook/process';
import { cancellationOf, paidNow } from '@rewardhook/rewards';
import { transact } from '../client/client.ts';
import type { Sql } from '../client/client.ts';
import { preferIndexes } from '../client/read-in-pages.ts';
import { itemColumns, itemsOf } from '../orders/order-worth.ts';
import type { ItemColumns } from '../orders/order-worth.ts';
import { isAfterId, orderOfId, startsWith } from './id-prefix.ts';
import {
  examineRows,
  formatIdCursor,
  listPage,
  openConditions,
  parseIdCursor,
  takeExamined,
} from './list-page.ts';
import type { ExaminedColumns, ListPage, ListQuery, PageRequest } from './list-page.ts';

/** An order of a list, as the API answers with it. */
export type OrderListRow = Answer<'OrderListItem'>;

/** An order in its newest state, without its items. */
export type OrderRow = Omit<OrderListRow, 'items_count' | 'last_reason'>;

type StoredRow = Omit<OrderRow, 'paid_now' | 'every_product_cancelled'>;

// An amount as JSON is read as a number with all of its digits; the text of a floating-point number depends on a setting.
const columns = `o.order_id, o.member_id, to_json(o.order_amount) AS order_amount, to_json(o.paid_amount) AS paid_amount,
  to_json(o.shipping_amount) AS shipping_amount, rules.iso_utc(o.order_date) AS order_date, o.first_order,
  rules.iso_utc(o.paid_at) AS paid_at, rules.iso_utc(o.cancelled_at) AS cancelled_at,
  rules.iso_utc(o.returned_at) AS returned_at, coalesce(o.currency, 'KRW') AS currency,
  coalesce(o.labels, '{}') AS labels, rules.iso_utc(o.created_at) AS created_at,
  rules.iso_utc(o.updated_at) AS updated_at`;

const listColumns = `${columns}, ${itemColumns},
  (SELECT CASE WHEN d.member_id = o.member_id THEN d.reason END FROM decisions d
    WHERE d.merchant_id = o.merchant_id AND d.order_id = o.order_id
    ORDER BY d.number DESC LIMIT 1) AS last_reason`;

/** The fields that depend on products which were cancelled one by one. */
function amountsOf(
  order: StoredRow,
  itemsRow: ItemColumns,
): Pick<OrderRow, 'paid_now' | 'every_product_cancelled'> {
  const items = itemsOf(itemsRow);
  return {
    paid_now: paidNow({ paidAmount: order.paid_amount, shippingAmount: order.shipping_amount, items }),
    every_product_cancelled: cancellationOf({ cancelledAt: null, items }) !== null,
  };
}

type ListedRow = StoredRow & ItemColumns & { last_reason: string | null };

function toListRow({ items, itemsCancelled, ...order }: ListedRow): OrderListRow {
  return { ...order, ...amountsOf(order, { items, itemsCancelled }), items_count: items };
}

/** The states of an order, which follow from its times and those of its products. */
export const orderStates = ['placed', 'paid', 'cancelled', 'returned'] as const;

export interface OrderSearch {
  orderId?: string | undefined;
  memberId?: string | undefined;
  /** The start of an id, in any case, as a person typed or pasted it. The orders are then in the order of their ids. */
  search?: string | undefined;
  state?: (typeof orderStates)[number] | undefined;
  /** The reason of the decision about the newest state, or the state of an `OrderOutcome` without one. */
  decision?: string | undefined;
  /** Only orders that the figures of referrals count, or those of them that are the first one of their referral; newest date first. */
  referred?: 'all' | 'first' | undefined;
  /** Range of creation, of `referred` ones of the order date: from inclusive, until exclusive. */
  from?: string | undefined;
  until?: string | undefined;
}

// As `cancellationOf` of @rewardhook/rewards and the badge of the console have it.
const stateSql = `CASE WHEN o.cancelled_at IS NOT NULL OR (o.items <> '[]'::jsonb AND NOT EXISTS (
    SELECT 1 FROM jsonb_array_elements(o.items) item WHERE item ->> 'cancelled_at' IS NULL)) THEN 'cancelled'
  WHEN o.returned_at IS NOT NULL THEN 'returned' WHEN o.paid_at IS NOT NULL THEN 'paid' ELSE 'placed' END`;

// As `stateOf` of order-outcomes.ts has it. With OFFSET 0, PostgreSQL looks up the keys of each row, and reads no table to make a hash of it.
const decisionSql = `CASE WHEN EXISTS (SELECT 1 FROM due_batches b
    WHERE b.merchant_id = o.merchant_id AND b.order_ids[1] = o.order_id AND b.parked_at IS NOT NULL OFFSET 0) THEN 'stopped'
  ELSE coalesce((
    SELECT CASE WHEN d.member_id = o.member_id AND d.order_version >= o.version THEN d.reason END FROM decisions d
    WHERE d.merchant_id = o.merchant_id AND d.order_id = o.order_id ORDER BY d.number DESC LIMIT 1),
    CASE WHEN EXISTS (SELECT 1 FROM referrals r WHERE r.merchant_id = o.merchant_id AND r.referee_member_id = o.member_id OFFSET 0)
      THEN 'evaluating' ELSE 'no_referrer' END) END`;

const isReferred = (which: 'all' | 'first') => `EXISTS (SELECT 1 FROM referred_orders f
  WHERE f.merchant_id = o.merchant_id AND f.order_id = o.order_id${which === 'first' ? ' AND f.is_first' : ''} OFFSET 0)`;

/** A page of a merchant's orders, newest first. @throws CursorError */
export async function listOrdersPage(
  database: Sql,
  merchantId: string,
  search: OrderSearch,
  page: PageRequest,
): Promise<ListPage<OrderListRow>> {
  if (search.search !== undefined) return listByPrefix(database, merchantId, search, page);
  const { items, ...rest } = await listPage<ListedRow>(database, ordersQuery(merchantId, search), page);
  return { items: items.map(toListRow), ...rest };
}

/** The list of orders that are not searched by the start of their ids. */
export function ordersQuery(merchantId: string, search: OrderSearch): ListQuery {
  const { orderId, memberId, referred } = search;
  const conditions = openConditions(merchantId);
  conditions.addFilter(`${stateSql} = ?`, search.state);
  conditions.addFilter(`${decisionSql} = ?`, search.decision);
  // One order or one member has an index of its own, and few rows to sort.
  const few = orderId !== undefined || memberId !== undefined;
  const byDate = referred !== undefined && !few;
  const time = byDate ? 'f.order_date' : referred === undefined ? 'o.created_at' : 'o.order_date';
  conditions.add('o.order_id = ?', orderId);
  conditions.add('o.member_id = ?', memberId);
  conditions.add(`${time} >= ?`, search.from);
  conditions.add(`${time} < ?`, search.until);
  const { sql, values } = conditions;
  const of = { columns: listColumns, values, time };
  if (byDate)
    return {
      ...of,
      from: `FROM referred_orders f WHERE f.merchant_id = $1${sql}`,
      joins: 'JOIN orders o ON o.merchant_id = f.merchant_id AND o.order_id = f.order_id',
      filter: `${referred === 'first' ? ' AND f.is_first' : ''}${conditions.filter}`,
      id: 'f.order_id',
      byIndex: true,
    };
  return {
    ...of,
    from: `FROM orders o WHERE o.merchant_id = $1${sql}`,
    filter: `${referred === undefined ? '' : ` AND ${isReferred(referred)}`}${conditions.filter}`,
    id: 'o.order_id',
    byIndex: !few,
  };
}

async function listByPrefix(
  database: Sql,
  merchantId: string,
  { search = '', orderId, memberId, referred, ...rest }: OrderSearch,
  { after, limit, bounded = false }: PageRequest,
): Promise<ListPage<OrderListRow>> {
  const conditions = openConditions(merchantId);
  conditions.add('o.order_id = ?', orderId);
  conditions.add('o.member_id = ?', memberId);
  conditions.add(startsWith('o.order_id'), readMemberSearch(search).ids.at(-1));
  conditions.add(isAfterId('o.order_id'), after === null ? undefined : parseIdCursor(after));
  const time = referred === undefined ? 'o.created_at' : 'o.order_date';
  conditions.addFilter(`${time} >= ?`, rest.from);
  conditions.addFilter(`${time} < ?`, rest.until);
  conditions.addFilter(`${stateSql} = ?`, rest.state);
  conditions.addFilter(`${decisionSql} = ?`, rest.decision);
  const filter = `${referred === undefined ? '' : ` AND ${isReferred(referred)}`}${conditions.filter}`;
  const byIndex = orderId === undefined && memberId === undefined;
  const from = `FROM orders o WHERE o.merchant_id = $1${conditions.sql}`;
  const order = orderOfId('o.order_id');
  const limited = `ORDER BY ${order} LIMIT ${limit + 1}`;
  const examined = examineRows({ table: 'o', from, order, filter });
  const sql =
    bounded && byIndex && filter !== ''
      ? `SELECT ${listColumns}, ${examined.columns} FROM ${examined.rows} WHERE ${examined.where} ${limited}`
      : `SELECT ${listColumns} ${from}${filter} ${limited}`;
  const rows = await transact(database, async (tx) => {
    if (byIndex) await preferIndexes(tx);
    return tx.query<ListedRow & ExaminedColumns>(sql, conditions.values);
  });
  const { items, last, isSearchedTo } = takeExamined(rows, limit);
  return {
    items: items.map((row) => toListRow(row as ListedRow)),
    next: last ? formatIdCursor(last.order_id) : null,
    ...(last && isSearchedTo && { searched_to: { id: last.order_id } }),
  };
}

/** Reads of one order that run at a time in this process. Each has up to 2 MiB, and several copies of them. */
const readingDetails = openSemaphore({ permits: () => 1 });

/**
 * An order of the merchant, with the JSON text of its items as they were received, or of the first `most` of them; undefined when there
 * is none. Merchants alternate.
 */
export async function findOrderDetails(
  database: Sql,
  merchantId: string,
  orderId: string,
  { most = null }: { most?: number | null } = {},
): Promise<(OrderRow & { items: string; items_count: number }) | undefined> {
  const release = await readingDetails.acquire(merchantId);
  const [row] = await database
    .query<StoredRow & ItemColumns & { products: string }>(
      `SELECT ${columns}, ${itemColumns},
         CASE WHEN (jsonb_array_length(o.items) <= $3::int) IS NOT FALSE THEN o.items::text
           ELSE (SELECT json_agg(item ORDER BY number)::text
             FROM jsonb_array_elements(o.items) WITH ORDINALITY AS e (item, number) WHERE number <= $3) END AS products
       FROM orders o WHERE o.merchant_id = $1 AND o.order_id = $2`,
      [merchantId, orderId, most],
    )
    .finally(release);
  if (!row) return undefined;
  const { items, itemsCancelled, products, ...order } = row;
  return { ...order, ...amountsOf(order, { items, itemsCancelled }), items_count: items, items: products };
}
