import type { Queryable } from '../client/client.ts';

/** Days of a merchant, in its time zone: `2026-11-01`; from inclusive, until exclusive. */
export interface Days {
  from: string;
  until: string;
}

/** What rewards of a kind have cost: those that were confirmed, less those that were revoked. Units are not converted. */
export interface CostRow {
  type: 'points' | 'coupon';
  unit: string;
  /** Below 0 when more was revoked than confirmed. */
  amount: number;
  /** For each first order, rounded; null without one. */
  each_first_order: number | null;
}

/** What the referrals of a merchant have brought and cost in some days. */
export interface FiguresRow {
  /** By the day of the link; without those that ended, were rejected, or whose referee was not new. */
  new_referrals: number;
  /** Referrals whose earliest order that counts is of these days. */
  first_orders: number;
  /** What was paid without shipping for the orders of these days that count, in won. */
  referred_revenue: number;
  /** By unit. */
  cost: CostRow[];
}

/**
 * Each figure is read in an index by merchant and time, and in nothing but the index.
 *
 *   $1  merchant id    $2  from    $3  until
 */
const figuresSql = `
  WITH days AS MATERIALIZED (
    SELECT number, since::date::timestamp AT TIME ZONE zone AS since, until::date::timestamp AT TIME ZONE zone AS until
    FROM (SELECT rules.known_zone(timezone) AS zone FROM merchants WHERE id = $1 OFFSET 0) merchant,
      unnest($2::text[], $3::text[]) WITH ORDINALITY AS d (since, until, number)
  )
  SELECT
    (SELECT count(*)::float8 FROM referrals
      WHERE merchant_id = $1 AND linked_at >= d.since AND linked_at < d.until
        AND ended IS NULL AND review <> 'rejected' AND NOT had_order_before) AS new_referrals,
    orders.first_orders, orders.referred_revenue,
    (SELECT coalesce(json_agg(json_build_object('type', type, 'unit', unit, 'amount', amount) ORDER BY type DESC, unit), '[]')
      FROM (
        SELECT type, unit, sum(amount) AS amount FROM (
          SELECT type, unit, sum(amount) AS amount FROM rewards
          WHERE merchant_id = $1 AND confirmed_at >= d.since AND confirmed_at < d.until GROUP BY 1, 2
          UNION ALL
          SELECT type, unit, -sum(amount) FROM rewards
          WHERE merchant_id = $1 AND state = 'revoked' AND ended_at >= d.since AND ended_at < d.until GROUP BY 1, 2) changes
        GROUP BY 1, 2) cost) AS cost
  FROM days d CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE is_first)::float8 AS first_orders, coalesce(sum(revenue), 0)::float8 AS referred_revenue
    FROM referred_orders
    WHERE merchant_id = $1 AND order_date >= d.since AND order_date < d.until) orders
  ORDER BY d.number`;

/** Reads the five figures of each of these ranges, such as a month and the one before it. */
export async function readFigures(
  database: Queryable,
  merchantId: string,
  ranges: Days[],
): Promise<FiguresRow[]> {
  const rows = await database.query<FiguresRow & Record<string, unknown>>(figuresSql, [
    merchantId,
    ranges.map(({ from }) => from),
    ranges.map(({ until }) => until),
  ]);
  return rows.map((row) => ({
    ...row,
    cost: row.cost.map((one) => ({
      ...one,
      each_first_order: row.first_orders > 0 ? Math.round(one.amount / row.first_orders) : null,
    })),
  }));
}
