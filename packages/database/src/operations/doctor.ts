import type { Database } from '../client/client.ts';

/*
 * Checks of the entire database, for the command `doctor`, the evaluation's metrics and tests. Each is a SELECT of
 * one number.
 */

/** What is overdue, stuck or inconsistent. All are 0 in a system that is consistent and idle. */
const faultQueries = {
  /** Orders that have been due for evaluation for over a minute. */
  judgementsOverdue: `
    SELECT coalesce(sum(cardinality(order_ids)), 0) FROM due_batches
    WHERE parked_at IS NULL AND due_since < now() - interval '1 minute'`,

  /** Orders whose evaluation failed repeatedly and is parked. */
  evaluationsParked: `
    SELECT coalesce(sum(cardinality(order_ids)), 0) FROM due_batches
    WHERE failures > 0 AND parked_at IS NOT NULL`,

  /** Deliveries that have been due for over a minute and whose endpoint can be sent to. */
  deliveriesOverdue: `
    SELECT count(*) FROM deliveries d JOIN endpoints p ON p.id = d.endpoint_id
    WHERE d.state = 'pending' AND d.next_attempt_at < now() - interval '1 minute'
      AND (d.leased_until IS NULL OR d.leased_until < now() - interval '1 minute')
      AND p.paused_at IS NULL AND p.disabled_at IS NULL
      AND (p.send_after IS NULL OR p.send_after < now() - interval '1 minute')`,

  /** Pending deliveries without a next attempt. */
  deliveriesAdrift: `
    SELECT count(*) FROM deliveries WHERE state = 'pending' AND next_attempt_at IS NULL`,

  /**
   * Orders of the last 31 days that should be due for evaluation and are not: a linked member's order without a
   * decision about its newest version, or an order with a live reward of another member's referral.
   */
  ordersNotJudged: `
    SELECT count(*) FROM orders o
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
            AND w.state IN ('pending', 'confirmed') AND r.referee_member_id <> o.member_id))
      AND (o.merchant_id, o.order_id) NOT IN (SELECT merchant_id, unnest(order_ids) FROM due_batches)`,

  /** Referrals whose referee's earlier orders were not enqueued for evaluation within 15 minutes. */
  referralsUnmarked: `
    SELECT count(*) FROM referrals
    WHERE orders_enqueued_at IS NULL AND linked_at < now() - interval '15 minutes'`,

  /** Confirmed rewards without `reward.issue`, and revoked ones without `reward.revoke`. */
  rewardsUntold: `
    SELECT count(*) FROM rewards w
    WHERE w.state IN ('confirmed', 'revoked') AND NOT EXISTS (
      SELECT 1 FROM events e
      WHERE e.merchant_id = w.merchant_id AND e.reward_id = w.id
        AND e.type = CASE w.state WHEN 'confirmed' THEN 'reward.issue' ELSE 'reward.revoke' END)`,

  /** Subjects with more than one live reward for a role. */
  rewardsDoubled: `
    SELECT count(*) FROM (
      SELECT 1 FROM rewards WHERE state IN ('pending', 'confirmed')
      GROUP BY merchant_id, program_id, subject, role HAVING count(*) > 1) doubled`,

  /** Deliveries whose event or endpoint does not exist. */
  deliveriesOrphaned: `
    SELECT count(*) FROM deliveries d
    LEFT JOIN events e ON e.merchant_id = d.merchant_id AND e.id = d.event_id
    LEFT JOIN endpoints p ON p.id = d.endpoint_id AND p.merchant_id = d.merchant_id
    WHERE e.id IS NULL OR p.id IS NULL`,

  /** Revocations before the issue of their reward: by sequence, time or position in the feed. */
  eventsOutOfOrder: `
    SELECT count(*) FROM events revoke
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
      SELECT count(*) FROM rewards
      WHERE confirmed_at < created_at OR ended_at < greatest(created_at, confirmed_at)
    ) + (
      SELECT count(*) FROM decisions d
      JOIN decisions former ON former.merchant_id = d.merchant_id AND former.order_id = d.order_id
        AND former.number = d.number - 1
      WHERE d.number > 1 AND d.created_at < former.created_at
    )`,
};

/** Work in progress, which is not a fault. */
const backlogQueries = {
  /** Orders that are due for evaluation. */
  judgementsDue: `
    SELECT coalesce(sum(cardinality(order_ids)), 0) FROM due_batches WHERE parked_at IS NULL`,
  deliveriesPending: `SELECT count(*) FROM deliveries WHERE state = 'pending'`,
  deliveriesHeld: `SELECT count(*) FROM deliveries WHERE state = 'held'`,
  /** Deliveries with no retries left. */
  deliveriesExhausted: `SELECT count(*) FROM deliveries WHERE state = 'exhausted'`,
};

/** The counts of {@link findFaults}; operators' scripts read these names. */
export type Findings = Record<keyof typeof faultQueries, number>;

/** The counts of {@link countBacklog}. */
export type Backlog = Record<keyof typeof backlogQueries, number>;

/** Counts everything that is overdue, stuck or inconsistent. */
export function findFaults(database: Database): Promise<Findings> {
  return countAll(database, faultQueries);
}

/** Counts the work in progress. */
export function countBacklog(database: Database): Promise<Backlog> {
  return countAll(database, backlogQueries);
}

/** Runs all queries in one statement. */
async function countAll<Name extends string>(
  database: Database,
  queries: Record<Name, string>,
): Promise<Record<Name, number>> {
  const columns = Object.entries<string>(queries).map(([name, query]) => `(${query})::float8 AS "${name}"`);
  const [counts] = await database.query<Record<Name, number>>(`SELECT ${columns.join(', ')}`);
  if (!counts) throw new Error('the counts returned no row');
  return counts;
}
