import type { Database } from '../client/client.ts';

/** Things that are due, stuck or inconsistent in the database. All counts are 0 in a system that is clean and idle. */
export interface Findings {
  /** Orders that have waited for a judgement for over a minute. */
  judgementsOverdue: number;
  /** Orders whose evaluation failed repeatedly and is set aside. */
  evaluationsParked: number;
  /** Deliveries of endpoints in use that were due over a minute ago. */
  deliveriesOverdue: number;
  /** Deliveries without a next attempt that are not final. */
  deliveriesAdrift: number;
  /**
   * Orders of the last 31 days that do not wait for evaluation and ought to: their newest version has no decision though
   * the member is linked, or they carry a live reward of another member's referral.
   */
  ordersNotJudged: number;
  /** Referrals of which the earlier orders were not marked for evaluation within 15 minutes. */
  referralsUnmarked: number;
  /** Confirmed or revoked rewards without the event that tells of it. */
  rewardsUntold: number;
  /** Subjects that have more than one live reward for a role. */
  rewardsDoubled: number;
  /** Deliveries whose event or endpoint does not exist. */
  deliveriesOrphaned: number;
  /** Revocations that stand before the issue of their reward: in the feed, by the order of writing or by their times. */
  eventsOutOfOrder: number;
  /** Rewards that ended before they were confirmed or given, and decisions that are older than the one before. */
  timesOutOfOrder: number;
}

/** Work that is under way or waits for somebody; not a fault by itself. */
export interface Backlog {
  judgementsDue: number;
  deliveriesPending: number;
  deliveriesHeld: number;
  deliveriesExhausted: number;
}

/** Counts everything that is stuck or inconsistent. */
export async function findFaults(database: Database): Promise<Findings> {
  const [row] = await database.query<Record<keyof Findings, bigint>>(`SELECT
      (SELECT coalesce(sum(cardinality(order_ids)), 0) FROM due_batches
        WHERE parked_at IS NULL AND due_since < now() - interval '1 minute') AS "judgementsOverdue",
      (SELECT coalesce(sum(cardinality(order_ids)), 0) FROM due_batches
        WHERE failures > 0 AND parked_at IS NOT NULL) AS "evaluationsParked",
      (SELECT count(*) FROM deliveries d JOIN endpoints p ON p.id = d.endpoint_id
        WHERE d.state = 'pending' AND d.next_attempt_at < now() - interval '1 minute'
          AND p.paused_at IS NULL AND p.disabled_at IS NULL
          AND (p.send_after IS NULL OR p.send_after < now() - interval '1 minute')) AS "deliveriesOverdue",
      (SELECT count(*) FROM deliveries WHERE state = 'pending' AND next_attempt_at IS NULL) AS "deliveriesAdrift",
      (SELECT count(*) FROM orders o
        WHERE o.created_at > now() - interval '31 days' AND o.updated_at < now() - interval '1 minute'
          AND (EXISTS (SELECT 1 FROM referrals r
              WHERE r.merchant_id = o.merchant_id AND r.referee_member_id = o.member_id
                AND r.linked_at < now() - interval '1 minute' AND NOT EXISTS (SELECT 1 FROM decisions x
                  WHERE x.merchant_id = o.merchant_id AND x.order_id = o.order_id AND x.order_version = o.version))
            OR EXISTS (SELECT 1 FROM rewards w
              JOIN referrals r ON r.merchant_id = w.merchant_id AND r.id = w.referral_id
              WHERE w.merchant_id = o.merchant_id AND w.order_id = o.order_id
                AND w.state IN ('pending', 'confirmed') AND r.referee_member_id <> o.member_id))
          AND (o.merchant_id, o.order_id) NOT IN (SELECT merchant_id, unnest(order_ids) FROM due_batches)
      ) AS "ordersNotJudged",
      (SELECT count(*) FROM referrals
        WHERE orders_enqueued_at IS NULL AND linked_at < now() - interval '15 minutes') AS "referralsUnmarked",
      (SELECT count(*) FROM rewards w WHERE w.state IN ('confirmed', 'revoked') AND NOT EXISTS (
        SELECT 1 FROM events e WHERE e.merchant_id = w.merchant_id AND e.reward_id = w.id
          AND e.type = CASE w.state WHEN 'confirmed' THEN 'reward.issue' ELSE 'reward.revoke' END)) AS "rewardsUntold",
      (SELECT count(*) FROM (SELECT 1 FROM rewards WHERE state IN ('pending', 'confirmed')
        GROUP BY merchant_id, program_id, subject, role HAVING count(*) > 1) doubled) AS "rewardsDoubled",
      (SELECT count(*) FROM deliveries d
        LEFT JOIN events e ON e.merchant_id = d.merchant_id AND e.id = d.event_id
        LEFT JOIN endpoints p ON p.id = d.endpoint_id AND p.merchant_id = d.merchant_id
        WHERE e.id IS NULL OR p.id IS NULL) AS "deliveriesOrphaned",
      (SELECT count(*) FROM events revoke
        JOIN events issue ON issue.merchant_id = revoke.merchant_id AND issue.reward_id = revoke.reward_id
          AND issue.type = 'reward.issue'
        WHERE revoke.type = 'reward.revoke' AND (revoke.sequence < issue.sequence
          OR revoke.created_at < issue.created_at OR revoke.position < issue.position
          OR (revoke.position IS NOT NULL AND issue.position IS NULL))) AS "eventsOutOfOrder",
      (SELECT count(*) FROM rewards
        WHERE confirmed_at < created_at OR ended_at < greatest(created_at, confirmed_at))
      + (SELECT count(*) FROM decisions d
        JOIN decisions former ON former.merchant_id = d.merchant_id AND former.order_id = d.order_id
          AND former.number = d.number - 1
        WHERE d.number > 1 AND d.created_at < former.created_at) AS "timesOutOfOrder"`);
  return toNumbers(row);
}

/** Counts the work that is under way. */
export async function countBacklog(database: Database): Promise<Backlog> {
  const [row] = await database.query<Record<keyof Backlog, bigint>>(`SELECT
      (SELECT coalesce(sum(cardinality(order_ids)), 0) FROM due_batches WHERE parked_at IS NULL) AS "judgementsDue",
      count(*) FILTER (WHERE state = 'pending') AS "deliveriesPending",
      count(*) FILTER (WHERE state = 'held') AS "deliveriesHeld",
      count(*) FILTER (WHERE state = 'exhausted') AS "deliveriesExhausted"
    FROM deliveries`);
  return toNumbers(row);
}

function toNumbers<K extends string>(row: Record<K, bigint> | undefined): Record<K, number> {
  if (!row) throw new Error('the counts came back empty');
  return Object.fromEntries(
    Object.entries<bigint>(row).map(([key, count]) => [key, Number(count)]),
  ) as Record<K, number>;
}
