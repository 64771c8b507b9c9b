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
  /** How many. */
  rewards: number;
  /** For each first order, rounded; null without one. */
  each_first_order: number | null;
}

/** What the referrals of a merchant have brought and cost in some days. */
export interface FiguresRow {
  /** On share links; counted up to 20 minutes ago. */
  clicks: number;
  /** By the day of the link; without those that ended, were rejected, or whose referee was not new. */
  new_referrals: number;
  /** Referrals whose earliest order that counts is of these days. */
  first_orders: number;
  /** What was paid without shipping for the orders of these days that count, in won. */
  referred_revenue: number;
  /** Confirmed less revoked ones. */
  rewards: number;
  /** By unit. */
  cost: CostRow[];
}

/** A range of days as times, by the zone of the merchant. */
const timesOfDays = (from: string, until: string) => `
  SELECT ${from}::date::timestamp AT TIME ZONE zone AS since, ${until}::date::timestamp AT TIME ZONE zone AS until
  FROM (SELECT rules.known_zone(timezone) AS zone FROM merchants WHERE id = $1 OFFSET 0) merchant`;

/** The rewards that were confirmed or revoked in the range `d`, with the amounts and numbers that they add. */
const changesOfRewards = (columns: string) => `
  SELECT ${columns}, sum(amount) AS amount, count(*) AS rewards FROM rewards
  WHERE merchant_id = $1 AND confirmed_at >= d.since AND confirmed_at < d.until GROUP BY ${columns}
  UNION ALL
  SELECT ${columns}, -sum(amount), -count(*) FROM rewards
  WHERE merchant_id = $1 AND state = 'revoked' AND ended_at >= d.since AND ended_at < d.until GROUP BY ${columns}`;

const costs = `coalesce(json_agg(
  json_build_object('type', type, 'unit', unit, 'amount', amount, 'rewards', rewards) ORDER BY type DESC, unit), '[]')`;

/**
 * Each figure is read in an index by merchant and time, and in nothing but the index.
 *
 *   $1  merchant id    $2  from    $3  until
 */
const figuresSql = `
  WITH days AS MATERIALIZED (
    SELECT number, times.since, times.until FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS range (since, until, number),
      LATERAL (${timesOfDays('range.since', 'range.until')}) times
  )
  SELECT
    (SELECT coalesce(sum(total), 0)::float8 FROM click_counts
      WHERE merchant_id = $1 AND starts_at >= d.since AND starts_at < d.until) AS clicks,
    (SELECT count(*)::float8 FROM referrals
      WHERE merchant_id = $1 AND linked_at >= d.since AND linked_at < d.until
        AND ended IS NULL AND review <> 'rejected' AND NOT had_order_before) AS new_referrals,
    orders.first_orders, orders.referred_revenue,
    (SELECT ${costs} FROM (
      SELECT type, unit, sum(amount) AS amount, sum(rewards) AS rewards FROM (${changesOfRewards('type, unit')}) changes
      GROUP BY 1, 2) cost) AS cost
  FROM days d CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE is_first)::float8 AS first_orders, coalesce(sum(revenue), 0)::float8 AS referred_revenue
    FROM referred_orders
    WHERE merchant_id = $1 AND order_date >= d.since AND order_date < d.until) orders
  ORDER BY d.number`;

type StoredCost = Omit<CostRow, 'each_first_order'>;

const withShares = (cost: StoredCost[], firstOrders: number): CostRow[] =>
  cost.map((one) => ({
    ...one,
    each_first_order: firstOrders > 0 ? Math.round(one.amount / firstOrders) : null,
  }));

const countRewards = (cost: StoredCost[]): number => cost.reduce((sum, { rewards }) => sum + rewards, 0);

/** Reads the figures of each of these ranges, such as a month and the one before it. */
export async function readFigures(
  database: Queryable,
  merchantId: string,
  ranges: Days[],
): Promise<FiguresRow[]> {
  const rows = await database.query<
    Omit<FiguresRow, 'rewards' | 'cost'> & { cost: StoredCost[] } & Record<string, unknown>
  >(figuresSql, [merchantId, ranges.map(({ from }) => from), ranges.map(({ until }) => until)]);
  return rows.map((row) => ({
    ...row,
    rewards: countRewards(row.cost),
    cost: withShares(row.cost, row.first_orders),
  }));
}

/** The figures of ranges that follow one another, in one. */
export function sumFigures(rows: FiguresRow[]): FiguresRow {
  const sum = (name: Exclude<keyof FiguresRow, 'cost'>) => rows.reduce((all, row) => all + row[name], 0);
  const cost = new Map<string, StoredCost>();
  for (const { type, unit, amount, rewards } of rows.flatMap((row) => row.cost)) {
    const key = `${type} ${unit}`;
    const before = cost.get(key);
    cost.set(key, {
      type,
      unit,
      amount: amount + (before?.amount ?? 0),
      rewards: rewards + (before?.rewards ?? 0),
    });
  }
  const sorted = [...cost.values()].toSorted(
    (one, other) => other.type.localeCompare(one.type) || one.unit.localeCompare(other.unit),
  );
  const firstOrders = sum('first_orders');
  return {
    clicks: sum('clicks'),
    new_referrals: sum('new_referrals'),
    first_orders: firstOrders,
    referred_revenue: sum('referred_revenue'),
    rewards: sum('rewards'),
    cost: withShares(sorted, firstOrders),
  };
}

/** What a version of the program has brought and cost in some days. An order is under the version of its newest decision. */
export interface VersionFiguresRow extends Omit<FiguresRow, 'clicks' | 'new_referrals'> {
  version: number;
  /** Orders that count. */
  orders: number;
}

/**
 *   $1  merchant id    $2  from    $3  until
 */
const versionFiguresSql = `
  WITH d AS MATERIALIZED (${timesOfDays('$2', '$3')}),
  orders AS (
    SELECT program_version AS version, count(*)::float8 AS orders, count(*) FILTER (WHERE is_first)::float8 AS first_orders,
      sum(revenue)::float8 AS referred_revenue
    FROM referred_orders, d WHERE merchant_id = $1 AND order_date >= d.since AND order_date < d.until
    GROUP BY 1
  ),
  cost AS (
    SELECT program_version AS version, ${costs} AS cost FROM (
      SELECT program_version, type, unit, sum(amount) AS amount, sum(rewards) AS rewards
      FROM d, LATERAL (${changesOfRewards('program_version, type, unit')}) changes GROUP BY 1, 2, 3) by_unit
    GROUP BY 1
  )
  SELECT version, coalesce(orders, 0) AS orders, coalesce(first_orders, 0) AS first_orders,
    coalesce(referred_revenue, 0) AS referred_revenue, coalesce(cost, '[]') AS cost
  FROM orders FULL JOIN cost USING (version) ORDER BY version DESC`;

/** Reads the figures of each version that has any in a range of days, newest first. Their sums are the figures of the range. */
export async function readVersionFigures(
  database: Queryable,
  merchantId: string,
  { from, until }: Days,
): Promise<VersionFiguresRow[]> {
  const rows = await database.query<
    Omit<VersionFiguresRow, 'rewards' | 'cost'> & { cost: StoredCost[] } & Record<string, unknown>
  >(versionFiguresSql, [merchantId, from, until]);
  return rows.map((row) => ({
    ...row,
    rewards: countRewards(row.cost),
    cost: withShares(row.cost, row.first_orders),
  }));
}

/** What the referees of a member have brought in some days. */
export interface ReferrerRow {
  member_id: string;
  first_orders: number;
  /** Orders that count. */
  orders: number;
  referred_revenue: number;
}

/**
 *   $1  merchant id    $2  from    $3  until    $4  number of members
 */
const topReferrersSql = `
  WITH d AS MATERIALIZED (${timesOfDays('$2', '$3')}),
  orders AS MATERIALIZED (
    SELECT referral_id, count(*) AS orders, count(*) FILTER (WHERE is_first) AS first_orders, sum(revenue) AS revenue
    FROM referred_orders, d WHERE merchant_id = $1 AND order_date >= d.since AND order_date < d.until
    GROUP BY 1
  )
  SELECT referrer_member_id AS member_id, sum(first_orders)::float8 AS first_orders, sum(orders)::float8 AS orders,
    sum(revenue)::float8 AS referred_revenue
  FROM orders JOIN referrals r ON r.merchant_id = $1 AND r.id = orders.referral_id
  GROUP BY 1 ORDER BY 2 DESC, 4 DESC, 1 LIMIT $4`;

/** Reads the members whose referees have placed the most first orders in a range of days. */
export function readTopReferrers(
  database: Queryable,
  merchantId: string,
  { from, until }: Days,
  limit: number,
): Promise<ReferrerRow[]> {
  return database.query<ReferrerRow & Record<string, unknown>>(topReferrersSql, [
    merchantId,
    from,
    until,
    limit,
  ]);
}

/** The day that it is for a merchant, by the clock of the database. Undefined when there is no such merchant. */
export async function readToday(database: Queryable, merchantId: string): Promise<string | undefined> {
  const [row] = await database.query<{ today: string }>(
    'SELECT (now() AT TIME ZONE rules.known_zone(timezone))::date::text AS today FROM merchants WHERE id = $1',
    [merchantId],
  );
  return row?.today;
}
