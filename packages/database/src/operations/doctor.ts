import { transact } from '../client/client.ts';
import type { Sql } from '../client/client.ts';
import { sqlState, statementCancelled } from '../client/database-errors.ts';
import { rowsAfterPartitionsSql } from '../retention/prune-partitions.ts';

/*
 * Checks of the database, for the command `doctor` and tests. Each is a SELECT of one number. What is due or stuck is
 * found by the indexes that the workers use. What is inconsistent is searched among the rows of the last hour, and with
 * `full` among all rows.
 */

/** Rows of a table that a check reads: those of the last hour, at most 50,000, or all. */
type Rows = (table: 'orders' | 'decisions' | 'rewards' | 'events' | 'deliveries') => string;

const isRecent = "created_at > now() - interval '1 hour'";

/** Events have a BRIN index by time. The others have one by merchant and time. */
const recentRows: Rows = (table) =>
  table === 'events'
    ? `(SELECT * FROM ${table} WHERE ${isRecent} LIMIT 50000)`
    : `(SELECT recent.* FROM merchants m
        CROSS JOIN LATERAL (SELECT * FROM ${table} WHERE merchant_id = m.id AND ${isRecent} OFFSET 0) recent
        LIMIT 50000)`;

const allRows: Rows = (table) => table;

/** What is overdue, stuck or inconsistent. All are 0 in a system that is consistent and idle. */
const faultQueries = (rows: Rows) => ({
  /** Orders that have been due for evaluation for over two minutes. */
  evaluationsOverdue: `
    SELECT coalesce(sum(orders), 0) FROM due_batches
    WHERE parked_at IS NULL AND due_since < now() - interval '2 minutes'`,

  /** Orders whose evaluation failed repeatedly and is parked. */
  evaluationsParked: `
    SELECT coalesce(sum(orders), 0) FROM due_batches
    WHERE failures > 0 AND parked_at IS NOT NULL`,

  /** Parked webhooks: sending to them failed repeatedly, for another reason than their responses. */
  webhooksParked: `SELECT count(*) FROM endpoints WHERE parked_at IS NOT NULL AND deleted_at IS NULL`,

  /** Deliveries that have been due for over a minute and whose endpoint can be sent to. */
  deliveriesOverdue: `
    SELECT coalesce(sum(overdue.count), 0) FROM endpoints p
    CROSS JOIN LATERAL (
      SELECT count(*) FROM deliveries d
      WHERE d.endpoint_id = p.id AND d.state = 'pending' AND d.next_attempt_at < now() - interval '1 minute'
        AND (d.leased_until IS NULL OR d.leased_until < now() - interval '1 minute')
    ) overdue
    WHERE p.sendable AND (p.send_after IS NULL OR p.send_after < now() - interval '1 minute')`,

  /** Pending deliveries without a next attempt. */
  deliveriesWithoutNextAttempt: `
    SELECT count(*) FROM deliveries WHERE state = 'pending' AND next_attempt_at IS NULL`,

  /**
   * Orders of the last 31 days that should be due for evaluation and are not: a linked member's order without a
   * decision about its newest version, or an order with a live reward by rule of another member's referral.
   */
  ordersNotEvaluated: `
    SELECT count(*) FROM ${rows('orders')} o
    WHERE o.created_at > now() - interval '31 days' AND o.updated_at < now() - interval '1 minute'
      AND (
        EXISTS (
          SELECT 1 FROM referrals r
          WHERE r.merchant_id = o.merchant_id AND r.referee_member_id = o.member_id
            AND r.linked_at < now() - interval '1 minute'
            AND NOT EXISTS (
              SELECT 1 FROM decisions d
              WHERE d.merchant_id = o.merchant_id AND d.order_id = o.order_id AND d.order_version = o.version))
        OR EXISTS (
          SELECT 1 FROM rewards w
          JOIN referrals r ON r.merchant_id = w.merchant_id AND r.id = w.referral_id
          WHERE w.merchant_id = o.merchant_id AND w.order_id = o.order_id
            AND w.state IN ('pending', 'confirmed') AND r.referee_member_id <> o.member_id
            AND r.ended IS NULL AND NOT starts_with(w.subject, 'manual:')))
      AND (o.merchant_id, o.order_id) NOT IN (SELECT merchant_id, unnest(order_ids) FROM due_batches)`,

  /** Referrals whose referee's earlier orders were not enqueued for evaluation within 15 minutes. */
  referralsUnmarked: `
    SELECT count(*) FROM referrals
    WHERE orders_enqueued_at IS NULL AND linked_at < now() - interval '15 minutes'`,

  /**
   * Confirmed rewards without `reward.issue`, and revoked ones without `reward.revoke`. The events of older rewards may
   * have been removed by retention.
   */
  rewardsNotNotified: `
    SELECT count(*) FROM ${rows('rewards')} w
    WHERE w.state IN ('confirmed', 'revoked')
      AND coalesce(w.ended_at, w.confirmed_at) >= (SELECT coalesce(min(created_at), '-infinity') FROM ${rows('events')} e)
      AND NOT EXISTS (
      SELECT 1 FROM events e
      WHERE e.merchant_id = w.merchant_id AND e.reward_id = w.id
        AND e.type = CASE w.state WHEN 'confirmed' THEN 'reward.issue' ELSE 'reward.revoke' END)`,

  /** Rows that were created after the last partition of their table. */
  rowsAfterPartitions: rowsAfterPartitionsSql,

  /** Tables that were pruned before, but not within the last day. */
  pruningOverdue: `SELECT count(*) FROM prunings WHERE finished_at < now() - interval '1 day'`,

  /** Subjects with more than one live reward for a role. */
  rewardsDoubled: `
    SELECT count(*) FROM (
      SELECT 1 FROM ${rows('rewards')} w WHERE state IN ('pending', 'confirmed')
      GROUP BY merchant_id, program_id, subject, role HAVING count(*) > 1) doubled`,

  /** Deliveries whose event or endpoint does not exist. */
  deliveriesOrphaned: `
    SELECT count(*) FROM ${rows('deliveries')} d
    WHERE NOT EXISTS (
        SELECT 1 FROM events e
        WHERE e.merchant_id = d.merchant_id AND e.id = d.event_id AND e.created_at = d.event_created_at)
      OR NOT EXISTS (SELECT 1 FROM endpoints p WHERE p.merchant_id = d.merchant_id AND p.id = d.endpoint_id)`,

  /** Revocations before the issue of their reward: by sequence, time or position in the feed. */
  eventsOutOfOrder: `
    SELECT count(*) FROM ${rows('events')} revoke
    JOIN events issue ON issue.merchant_id = revoke.merchant_id AND issue.reward_id = revoke.reward_id
      AND issue.type = 'reward.issue'
    WHERE revoke.type = 'reward.revoke'
      AND (revoke.sequence < issue.sequence
        OR revoke.created_at < issue.created_at
        OR revoke.position < issue.position
        OR (revoke.position IS NOT NULL AND issue.position IS NULL))`,

  /** Rewards that ended before they were created or confirmed, and decisions older than the previous one. */
  timesOutOfOrder: `
    SELECT (
      SELECT count(*) FROM ${rows('rewards')} w
      WHERE confirmed_at < created_at OR ended_at < greatest(created_at, confirmed_at)
    ) + (
      SELECT count(*) FROM ${rows('decisions')} d
      JOIN decisions former ON former.merchant_id = d.merchant_id AND former.order_id = d.order_id
        AND former.number = d.number - 1
      WHERE d.number > 1 AND d.created_at < former.created_at
    )`,
});

/** Work in progress, which is not a fault. */
const backlogQueries = {
  /** Orders that are due for evaluation. */
  evaluationsDue: `
    SELECT coalesce(sum(orders), 0) FROM due_batches WHERE parked_at IS NULL`,
  deliveriesPending: `SELECT count(*) FROM deliveries WHERE state = 'pending'`,
  deliveriesHeld: `SELECT count(*) FROM deliveries WHERE state = 'held'`,
  /** Deliveries with no retries left. */
  deliveriesExhausted: `SELECT count(*) FROM deliveries WHERE state = 'exhausted'`,
};

/** The counts of {@link findFaults}; operators' scripts read these names. */
export type Findings = Record<keyof ReturnType<typeof faultQueries>, number>;

/** The counts of {@link countBacklog}. */
export type Backlog = Record<keyof typeof backlogQueries, number>;

/** What checks counted. A check that did not finish in time has no count and is named in `unfinished`. */
export interface Counts<Name extends string> {
  counts: Partial<Record<Name, number>>;
  unfinished: Name[];
}

/** Checks that search for what is inconsistent, which takes longer than to look for what is due or stuck. */
const consistencyChecks: readonly string[] = [
  'ordersNotEvaluated',
  'rewardsNotNotified',
  'rewardsDoubled',
  'deliveriesOrphaned',
  'eventsOutOfOrder',
  'timesOutOfOrder',
] satisfies (keyof Findings)[];

/** How far checks go: `full` reads all rows, and all checks together take at most `timeoutMs`. */
export interface CheckOptions {
  full: boolean;
  timeoutMs: number;
  /** Whether to search for what is inconsistent; default true. */
  consistency?: boolean;
}

/** Counts everything that is overdue, stuck or inconsistent. */
export function findFaults(
  database: Sql,
  { full, timeoutMs, consistency = true }: CheckOptions,
): Promise<Counts<keyof Findings>> {
  const queries = Object.entries(faultQueries(full ? allRows : recentRows));
  const chosen = queries.filter(([name]) => consistency || !consistencyChecks.includes(name));
  return countAll(database, Object.fromEntries(chosen) as Record<keyof Findings, string>, timeoutMs);
}

/** Counts the work in progress. */
export function countBacklog(
  database: Sql,
  { timeoutMs }: Pick<CheckOptions, 'timeoutMs'>,
): Promise<Counts<keyof Backlog>> {
  return countAll(database, backlogQueries, timeoutMs);
}

/** Checks that run at a time. */
const concurrentChecks = 2;

/** Runs each query as a statement of its own, in the time that is left. */
async function countAll<Name extends string>(
  database: Sql,
  queries: Record<Name, string>,
  timeoutMs: number,
): Promise<Counts<Name>> {
  const deadline = performance.now() + timeoutMs;
  const waiting = Object.entries<string>(queries) as [Name, string][];
  const counts: Partial<Record<Name, number>> = {};
  const unfinished: Name[] = [];
  const run = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [name, query] = next;
      const count = await countWithin(database, query, Math.round(deadline - performance.now()));
      if (count === undefined) unfinished.push(name);
      else counts[name] = count;
    }
  };
  await Promise.all(Array.from({ length: concurrentChecks }, run));
  return { counts, unfinished };
}

/** The number that a query counts; undefined when it takes longer than `ms` milliseconds. */
async function countWithin(database: Sql, query: string, ms: number): Promise<number | undefined> {
  if (ms <= 0) return undefined;
  try {
    const [row] = await transact(
      database,
      (tx) => tx.query<{ count: number }>(`SELECT (${query})::float8 AS count`),
      { statementMs: ms },
    );
    return row?.count;
  } catch (error) {
    if (sqlState(error) === statementCancelled) return undefined;
    throw error;
  }
}
