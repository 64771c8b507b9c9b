import { openUsageCounter, unpackChecks } from '@rewardhook/rewards';
import type { OrderHistory, PackedCheck, Program, StoredDecision, TimelineEntry } from '@rewardhook/rewards';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import { useSnapshot } from '../client/read-in-pages.ts';
import { readFacts, readPrograms } from './evaluation-input.ts';
import { countByReferrer } from './program-usage.ts';
import { nextAttemptAt } from '../deliveries/next-attempt.ts';

/** Reads the history of an order in one snapshot; undefined when the merchant has no such order. */
export function readOrderHistory(
  database: Database,
  merchantId: string,
  orderId: string,
): Promise<OrderHistory | undefined> {
  return transact(database, async (tx) => {
    await useSnapshot(tx);
    const programs = await readPrograms(tx, merchantId);
    const program = programs.at(-1) as Program;
    const [found] = await readFacts(tx, merchantId, [orderId], programs);
    if (!found) return undefined;
    const referrer = found.referral?.referrerMemberId;
    const byReferrer = await countByReferrer(tx, merchantId, referrer === undefined ? [] : [referrer]);
    const [books] = await tx.query<{ spent: string; waits: boolean; parked_since: string | null }>(booksSql, [
      merchantId,
      orderId,
    ]);
    return {
      input: {
        ...found,
        program,
        usage: openUsageCounter({ spent: Number(books?.spent ?? 0), byReferrer }).limitsFor(
          referrer,
          found.order.month,
        ),
      },
      evaluationDue: books?.waits === true,
      parkedSince: books?.parked_since ?? null,
      decision: await readNewestDecision(tx, merchantId, orderId),
      timeline: await readTimeline(tx, merchantId, orderId),
    };
  });
}

const booksSql = `
  SELECT p.spent, due.waits, due.parked_since
  FROM programs p CROSS JOIN (
    SELECT coalesce(bool_or(parked_at IS NULL), false) AS waits, rules.iso_utc(min(parked_at)) AS parked_since
    FROM due_batches WHERE merchant_id = $1 AND order_ids @> ARRAY[$2::text]) due
  WHERE p.merchant_id = $1`;

async function readNewestDecision(
  tx: Queryable,
  merchantId: string,
  orderId: string,
): Promise<StoredDecision | null> {
  const [row] = await tx.query<
    Omit<StoredDecision, 'orderVersion' | 'checks'> & { orderVersion: string; checks: PackedCheck[] }
  >(
    `SELECT d.number, rules.iso_utc(d.created_at) AS "decidedAt", d.order_version AS "orderVersion",
       d.program_version AS "programVersion", d.outcome, d.reason, d.checks
     FROM orders o CROSS JOIN LATERAL (
       SELECT * FROM decisions WHERE merchant_id = o.merchant_id AND order_id = o.order_id
       ORDER BY number DESC LIMIT 1) d
     WHERE o.merchant_id = $1 AND o.order_id = $2 AND d.member_id = o.member_id`,
    [merchantId, orderId],
  );
  return row ? { ...row, orderVersion: Number(row.orderVersion), checks: unpackChecks(row.checks) } : null;
}

/** Versions, the link, judgements, rewards, events, deliveries and attempts of an order, oldest first. */
async function readTimeline(tx: Queryable, merchantId: string, orderId: string): Promise<TimelineEntry[]> {
  const rows = await tx.query<{ entry: TimelineEntry }>(timelineSql, [merchantId, orderId]);
  return rows.map(({ entry }) => readable(entry));
}

// Sorted by time; what one evaluation wrote has one time, and follows its causes. Other clocks are bounded by the database's:
// a version, stamped by the clock of Redis or the API, came before it was stored and evaluated; an attempt, timed by its
// worker, began after its delivery was made and after the attempt before.
const timelineSql = `
  WITH own AS (SELECT * FROM rewards WHERE merchant_id = $1 AND order_id = $2),
  told AS (SELECT e.* FROM events e JOIN own w ON e.merchant_id = w.merchant_id AND e.reward_id = w.id),
  sent AS (SELECT d.*, p.url, e.sequence, ${nextAttemptAt} AS next_at FROM told e
    JOIN deliveries d ON d.merchant_id = e.merchant_id AND d.event_id = e.id
    JOIN endpoints p ON p.id = d.endpoint_id),
  happenings AS (
    SELECT least(to_timestamp(stamp / 1000000.0), o.updated_at, (SELECT min(d.created_at) FROM decisions d
        WHERE d.merchant_id = $1 AND d.order_id = $2 AND d.order_version >= stamp)) AS at, 1 AS rank, stamp AS number,
      jsonb_build_object('what', 'version_received', 'version', stamp) AS detail
    FROM orders o CROSS JOIN LATERAL unnest(o.versions) AS stamp
    WHERE o.merchant_id = $1 AND o.order_id = $2
    UNION ALL
    SELECT r.linked_at, 2, 0, jsonb_build_object('what', 'member_linked', 'referral_id', r.id, 'referrer_member_id',
      r.referrer_member_id, 'source', r.source, 'flags', r.flags)
    FROM orders o JOIN referrals r ON r.merchant_id = o.merchant_id AND r.referee_member_id = o.member_id
    WHERE o.merchant_id = $1 AND o.order_id = $2
    UNION ALL
    SELECT r.reviewed_at, 2, 1, jsonb_build_object('what', 'referral_' || r.review, 'referral_id', r.id,
      'by', r.reviewed_by)
    FROM orders o JOIN referrals r ON r.merchant_id = o.merchant_id AND r.referee_member_id = o.member_id
    WHERE o.merchant_id = $1 AND o.order_id = $2 AND r.reviewed_at IS NOT NULL
    UNION ALL
    SELECT created_at, 3, number, jsonb_build_object('what', 'evaluated', 'order_version', order_version, 'program_version',
      program_version, 'outcome', outcome, 'reason', reason, 'checks', checks)
    FROM decisions WHERE merchant_id = $1 AND order_id = $2
    UNION ALL
    SELECT created_at, 4, 0, jsonb_build_object('what', 'reward_given', 'reward_id', id, 'role', role, 'member_id',
      member_id, 'type', type, 'amount', amount, 'unit', unit, 'state', state,
      'confirm_due_at', rules.iso_utc(confirm_due_at)) FROM own
    UNION ALL
    SELECT confirmed_at, 5, 0, jsonb_build_object('what', 'reward_confirmed', 'reward_id', id) FROM own
    WHERE confirmed_at IS NOT NULL
    UNION ALL
    SELECT ended_at, 6, 0, jsonb_build_object('what', 'reward_' || state, 'reward_id', id) FROM own
    WHERE ended_at IS NOT NULL
    UNION ALL
    SELECT created_at, 7, sequence, jsonb_build_object('what', 'event', 'event_id', id, 'type', type, 'reward_id', reward_id)
    FROM told
    UNION ALL
    SELECT created_at, 8, sequence, jsonb_build_object('what', 'delivery', 'delivery_id', id, 'event_id', event_id,
      'url', url, 'state', state, 'next_attempt_at', rules.iso_utc(next_at)) FROM sent
    UNION ALL
    SELECT max(greatest(a.started_at, s.created_at)) OVER (PARTITION BY a.delivery_id ORDER BY a.number), 9, a.number,
      jsonb_build_object('what', 'attempt', 'delivery_id', a.delivery_id, 'number', a.number,
        'status', a.status, 'error', a.error_class) FROM sent s JOIN attempts a ON a.delivery_id = s.id
  )
  SELECT jsonb_build_object('at', rules.iso_utc(at)) || jsonb_strip_nulls(detail) AS entry
  FROM happenings ORDER BY at, rank, number`;

function readable(entry: TimelineEntry): TimelineEntry {
  const { checks } = entry;
  return checks === undefined ? entry : { ...entry, checks: unpackChecks(checks as PackedCheck[]) };
}
