import { referredRevenue } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { bigint, integer, rowColumns, text, timestamptz } from '../client/row-columns.ts';
import { textArray } from '../client/sql-arrays.ts';
import { run, runCounted, statement } from '../client/statement.ts';
import type { NoRow } from '../client/statement.ts';
import type { DueOrder } from './read-facts.ts';

/** An order that was evaluated, and whether the figures count it as one that a referral brought. */
export interface ReferredOrder {
  orderId: string;
  /** Its live referral, which is locked; null when its member has none. */
  referralId: string | null;
  /** The referral of the decision before this one, which its stored row has, if there is one. */
  formerReferralId: string | null;
  /** Of an order that counts: the rest of its row. */
  counted: { orderDate: string; programVersion: number; revenue: number } | null;
}

/** What the figures count of an order, under which version of the program, and whether it has a live reward that a rule gave. */
export function referredOrderOf(
  { order, referral, decidedReferralId }: DueOrder,
  { programVersion, hasEarned }: { programVersion: number; hasEarned: boolean },
): ReferredOrder {
  const revenue = referredRevenue(order, referral, hasEarned);
  return {
    orderId: order.orderId,
    referralId: referral?.id ?? null,
    formerReferralId: decidedReferralId,
    counted: revenue === null ? null : { orderDate: order.orderDate, programVersion, revenue },
  };
}

/** A row of `referred_orders`, without its merchant. Without a referral, the stored one is removed. */
interface ReferredOrderRow {
  orderId: string;
  referralId: string | null;
  orderDate: string | null;
  programVersion: number | null;
  revenue: number | null;
}

const referredOrderColumns = rowColumns<ReferredOrderRow>({
  orderId: text,
  referralId: text,
  orderDate: timestamptz,
  programVersion: integer,
  revenue: bigint,
});

/** What else has to be done about the first orders of referrals, after rows were written. */
interface WrittenRows {
  written: number;
  removed: number;
  /** Referrals whose first order may be another one now. */
  unsettled: string[];
  /** First orders that are no longer the earliest. */
  superseded: string[];
}

/**
 * A row that is the same already is not written again. The first row of a referral is its first order, and a later one is not; what that
 * leaves is in the result.
 */
const writeReferredOrdersSql = statement<WrittenRows, [merchantId: string, ...orders: string[]]>({
  name: 'write referred orders',
  parameters: ['text', ...referredOrderColumns.types],
  columns: { written: 'integer', removed: 'integer', unsettled: 'json', superseded: 'json' },
  text: `
    WITH evaluated AS MATERIALIZED (
      SELECT o.*, stored.row, stored.referral_id AS former_referral_id, first.order_id AS first_order_id,
        (stored.referral_id, stored.order_date, stored.program_version, stored.revenue)
          IS DISTINCT FROM (o.referral_id, o.order_date, o.program_version, o.revenue) AS differs,
        stored.is_first AND (stored.referral_id, stored.order_date) IS DISTINCT FROM (o.referral_id, o.order_date) AS leaves,
        first.order_id <> o.order_id AND (o.order_date, o.order_id) < (first.order_date, first.order_id) AS supersedes
      FROM unnest($2::text[], $3::text[], $4::timestamptz[], $5::int[], $6::bigint[])
        AS o (order_id, referral_id, order_date, program_version, revenue)
      LEFT JOIN LATERAL (
        SELECT ctid AS row, * FROM referred_orders
        WHERE merchant_id = (SELECT $1::text) AND order_id >= o.order_id AND order_id <= o.order_id
        ORDER BY order_id OFFSET 0) stored ON true
      LEFT JOIN LATERAL (
        SELECT order_id, order_date FROM referred_orders
        WHERE merchant_id = (SELECT $1::text) AND referral_id >= o.referral_id AND referral_id <= o.referral_id
        ORDER BY referral_id, order_date, order_id LIMIT 1) first ON true
    ), removed AS (
      DELETE FROM referred_orders r USING evaluated e
      WHERE r.ctid = e.row AND e.referral_id IS NULL
      RETURNING 1
    ), written AS (
      INSERT INTO referred_orders (merchant_id, order_id, referral_id, order_date, program_version, revenue, is_first)
      SELECT $1, order_id, referral_id, order_date, program_version, revenue,
        first_order_id IS NULL OR first_order_id = order_id
      FROM evaluated WHERE referral_id IS NOT NULL AND differs
      ON CONFLICT (merchant_id, order_id) DO UPDATE SET referral_id = excluded.referral_id,
        order_date = excluded.order_date, program_version = excluded.program_version, revenue = excluded.revenue,
        is_first = excluded.is_first
      RETURNING 1
    )
    SELECT (SELECT count(*)::int FROM written) AS written, (SELECT count(*)::int FROM removed) AS removed,
      to_json(ARRAY(
        SELECT former_referral_id FROM evaluated WHERE leaves
        UNION ALL
        SELECT referral_id FROM evaluated WHERE supersedes
        UNION ALL
        SELECT referral_id FROM evaluated WHERE first_order_id IS NULL AND referral_id IS NOT NULL
        GROUP BY referral_id HAVING count(*) > 1)) AS unsettled,
      to_json(ARRAY(SELECT first_order_id FROM evaluated WHERE supersedes)) AS superseded`,
});

const lockReferralsSql = statement<NoRow, [merchantId: string, ids: string]>({
  name: 'lock referrals',
  parameters: ['text', 'text[]'],
  columns: {},
  text: `
    SELECT FROM (SELECT unnest($2::text[]) ORDER BY 1) AS wanted (wanted_id)
    CROSS JOIN LATERAL (
      SELECT FROM referrals
      WHERE merchant_id = (SELECT $1::text) AND id >= wanted.wanted_id AND id <= wanted.wanted_id
      ORDER BY id OFFSET 0 FOR UPDATE) r`,
});

/** Of these orders, and of the earliest one of each of these referrals. */
const settleFirstOrdersSql = statement<NoRow, [merchantId: string, referralIds: string, orderIds: string]>({
  name: 'settle the first orders of referrals',
  parameters: ['text', 'text[]', 'text[]'],
  columns: {},
  text: `
    UPDATE referred_orders r SET is_first = NOT r.is_first
    FROM (
      SELECT candidate.row
      FROM (
        SELECT o.* FROM unnest($2::text[]) AS wanted (wanted_id)
        CROSS JOIN LATERAL (
          SELECT ctid AS row, * FROM referred_orders
          WHERE merchant_id = (SELECT $1::text)
            AND referral_id >= wanted.wanted_id AND referral_id <= wanted.wanted_id
          ORDER BY referral_id, order_date, order_id LIMIT 1) o
        UNION ALL
        SELECT o.* FROM unnest($3::text[]) AS wanted (wanted_id)
        CROSS JOIN LATERAL (
          SELECT ctid AS row, * FROM referred_orders
          WHERE merchant_id = (SELECT $1::text) AND order_id >= wanted.wanted_id AND order_id <= wanted.wanted_id
          ORDER BY order_id OFFSET 0) o
      ) candidate
      CROSS JOIN LATERAL (
        SELECT order_id FROM referred_orders
        WHERE merchant_id = (SELECT $1::text)
          AND referral_id >= candidate.referral_id AND referral_id <= candidate.referral_id
        ORDER BY referral_id, order_date, order_id LIMIT 1) earliest
      WHERE candidate.is_first <> (candidate.order_id = earliest.order_id)
    ) change
    WHERE r.ctid = change.row`,
});

/**
 * Marks the earliest orders of referrals as their first ones, and those of these orders that are not the earliest as later ones. The
 * referrals are locked. Returns the number of rows that were changed.
 */
export function settleFirstOrders(
  tx: Queryable,
  merchantId: string,
  { referralIds, orderIds }: { referralIds: string[]; orderIds: string[] },
): Promise<number> {
  return runCounted(tx, settleFirstOrdersSql, [merchantId, textArray(referralIds), textArray(orderIds)]);
}

/** The number of rows that were changed. */
export type ChangedReferredOrders = Pick<WrittenRows, 'written' | 'removed'>;

/**
 * Locks the referrals of former decisions that are those of other members, so that no evaluation of their orders looks for its first order
 * at the same time. To be called before {@link writeReferredOrders}, and before what an evaluation of that member could wait for.
 */
export async function lockFormerReferrals(
  tx: Queryable,
  merchantId: string,
  orders: Pick<ReferredOrder, 'referralId' | 'formerReferralId'>[],
): Promise<void> {
  const locked = new Set(orders.map(({ referralId }) => referralId));
  const former = orders.flatMap(({ formerReferralId: id }) => (id === null || locked.has(id) ? [] : id));
  if (former.length > 0) await run(tx, lockReferralsSql, [merchantId, textArray([...new Set(former)])]);
}

/**
 * Writes or removes the rows of orders. An order without a decision before, and without a row to write, has none. All referrals are
 * locked.
 */
export async function writeReferredOrders(
  tx: Queryable,
  merchantId: string,
  orders: ReferredOrder[],
): Promise<ChangedReferredOrders> {
  const concerned = orders.filter(({ counted, formerReferralId }) => counted ?? formerReferralId);
  if (concerned.length === 0) return { written: 0, removed: 0 };
  const rows = concerned.map(({ orderId, referralId, counted }) => ({
    orderId,
    referralId: counted && referralId,
    orderDate: counted?.orderDate ?? null,
    programVersion: counted?.programVersion ?? null,
    revenue: counted?.revenue ?? null,
  }));
  const [changed] = await run(tx, writeReferredOrdersSql, [
    merchantId,
    ...referredOrderColumns.arraysOf(rows),
  ]);
  if (!changed) throw new Error('the statement returned no row');
  const { written, removed, unsettled, superseded } = changed;
  if (unsettled.length > 0) {
    const orderIds = [...concerned.map(({ orderId }) => orderId), ...superseded];
    await settleFirstOrders(tx, merchantId, { referralIds: unsettled, orderIds });
  }
  return { written, removed };
}
