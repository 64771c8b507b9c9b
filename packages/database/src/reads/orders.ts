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
import { formatIdCursor, listPage, openConditions, parseIdCursor, takePage } from './list-page.ts';
import type { Conditions, ListPage, PageRequest } from './list-page.ts';

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

interface OrderSearch {
  orderId?: string | undefined;
  memberId?: string | undefined;
  /** The start of an id, in any case, as a person typed or pasted it. The orders are then in the order of their ids. */
  search?: string | undefined;
}

/** A page of a merchant's orders, newest first. @throws CursorError */
export async function listOrdersPage(
  database: Sql,
  merchantId: string,
  { orderId, memberId, search }: OrderSearch,
  page: PageRequest,
): Promise<ListPage<OrderListRow>> {
  const conditions = openConditions(merchantId);
  conditions.add('o.order_id = ?', orderId);
  conditions.add('o.member_id = ?', memberId);
  // One order or one member has an index of its own, and few rows to sort.
  const byIndex = orderId === undefined && memberId === undefined;
  if (search !== undefined) return listByPrefix(database, { conditions, search, byIndex }, page);
  const { sql, values } = conditions;
  const from = `FROM orders o WHERE o.merchant_id = $1${sql}`;
  const query = { columns: listColumns, from, values, time: 'o.created_at', id: 'o.order_id', byIndex };
  const { items, next } = await listPage<ListedRow>(database, query, page);
  return { items: items.map(toListRow), next };
}

async function listByPrefix(
  database: Sql,
  { conditions, search, byIndex }: { conditions: Conditions; search: string; byIndex: boolean },
  { after, limit }: PageRequest,
): Promise<ListPage<OrderListRow>> {
  conditions.add(startsWith('o.order_id'), readMemberSearch(search).ids.at(-1));
  conditions.add(isAfterId('o.order_id'), after === null ? undefined : parseIdCursor(after));
  const { sql, values } = conditions;
  const rows = await transact(database, async (tx) => {
    if (byIndex) await preferIndexes(tx);
    return tx.query<ListedRow>(
      `SELECT ${listColumns} FROM orders o WHERE o.merchant_id = $1${sql} ORDER BY ${orderOfId('o.order_id')} LIMIT ${limit + 1}`,
      values,
    );
  });
  const items = takePage(rows, limit).map(toListRow);
  const last = items.at(-1);
  return { items, next: rows.length > items.length && last ? formatIdCursor(last.order_id) : null };
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
