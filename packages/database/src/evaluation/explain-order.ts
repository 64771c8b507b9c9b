import {
  evaluateOrder,
  explain,
  firstOrderHolder,
  explainUnreadable,
  openContenders,
  openUsageCounter,
  unpackChecks,
} from '@rewardhook/rewards';
import type {
  EvaluationInput,
  OrderExplanation,
  OrderHistory,
  PackedCheck,
  Program,
  ProgramUsage,
  StoredDecision,
  TimelineEntry,
} from '@rewardhook/rewards';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import { isTransient } from '../client/database-errors.ts';
import { useSnapshot } from '../client/read-in-pages.ts';
import { run, statement } from '../client/statement.ts';
import { takePage } from '../reads/list-page.ts';
import { findSimilarReferees } from '../members/members.ts';
import { findProgram } from './program-versions.ts';
import { listDueOrdersWith } from './read-facts.ts';
import type { DueOrder } from './read-facts.ts';
import { countRewardsOfReferrers, referrerMonths } from './program-usage.ts';

/** Explains why an order earned what it did; undefined when the merchant has no such order. */
export async function explainOrder(
  database: Database,
  merchantId: string,
  orderId: string,
): Promise<OrderExplanation | undefined> {
  const history = await findOrderHistory(database, merchantId, orderId).catch(async (error: unknown) => {
    if (isTransient(error)) throw error;
    // An order whose evaluation fails may not be readable here either.
    const parked = await findParkedOrder(database, merchantId, orderId);
    if (!parked) throw error;
    return parked;
  });
  if (!history) return undefined;
  if (!('input' in history)) return explainUnreadable(history);
  const { order, referral } = history.input;
  const similar = referral ? [] : await findSimilarReferees(database, merchantId, order.memberId);
  return explain({ ...history, similarMemberIds: similar });
}

/** Finds the history of an order, in one snapshot. */
function findOrderHistory(
  database: Database,
  merchantId: string,
  orderId: string,
): Promise<Omit<OrderHistory, 'similarMemberIds'> | undefined> {
  return transact(database, async (tx) => {
    await useSnapshot(tx);
    const program = await findProgram(tx, merchantId);
    // The data of a test side was deleted.
    if (!program) return undefined;
    const due = await listDueOrdersWith(tx, merchantId, orderId, program);
    const byReferrer = await countRewardsOfReferrers(
      tx,
      merchantId,
      program.terms,
      referrerMonths(due),
      due.flatMap(({ rewards }) => rewards).length,
    );
    const status = await findEvaluationStatus(tx, merchantId, orderId);
    const input = inputOf(orderId, due, program, { spent: Number(status?.spent ?? 0), byReferrer });
    if (!input) return undefined;
    return {
      input,
      evaluationDue: status?.evaluationDue === true,
      parkedSince: status?.parkedSince ?? null,
      sentMemberId: status?.sentMemberId ?? null,
      decision: await findNewestDecision(tx, merchantId, orderId),
      timeline: await listTimeline(tx, merchantId, orderId),
    };
  });
}

/** The input of one of these orders, oldest first: an older one can take its reward. */
function inputOf(
  orderId: string,
  due: DueOrder[],
  program: Program,
  used: ProgramUsage,
): EvaluationInput | undefined {
  const counter = openUsageCounter(used);
  const contenders = openContenders();
  const byId = new Map(due.map((one) => [one.order.orderId, one]));
  for (const one of due) {
    const { order, referral } = one;
    const usage = counter.limitsFor(referral?.referrerMemberId, order.month);
    const input = {
      ...one,
      program,
      usage,
      earlierFirstOrder: contenders.before(one),
      holder: firstOrderHolder(one, byId),
    };
    if (order.orderId === orderId) return input;
    contenders.add(one, evaluateOrder(input));
  }
  return undefined;
}

const findStatusSql = statement<
  { spent: string; evaluationDue: boolean; parkedSince: string | null; sentMemberId: string | null },
  [merchantId: string, orderId: string]
>({
  name: 'find the status of an evaluation',
  parameters: ['text', 'text'],
  columns: { spent: 'numeric', evaluationDue: 'boolean', parkedSince: 'text', sentMemberId: 'text' },
  text: `
    SELECT p.spent, due."evaluationDue", due."parkedSince", (
      SELECT sent_member_id FROM orders WHERE merchant_id = $1 AND order_id = $2) AS "sentMemberId"
    FROM programs p CROSS JOIN (
      SELECT coalesce(bool_or(parked_at IS NULL), false) AS "evaluationDue",
        rules.iso_utc(min(parked_at)) AS "parkedSince"
      FROM due_batches WHERE merchant_id = $1 AND order_ids @> ARRAY[$2::text]) due
    WHERE p.merchant_id = $1`,
});

/** The sum of the program's live rewards, whether an evaluation of the order is due or parked, and the alias it was sent with. */
async function findEvaluationStatus(tx: Queryable, merchantId: string, orderId: string) {
  const [status] = await run(tx, findStatusSql, [merchantId, orderId]);
  return status;
}

const findDecisionSql = statement<
  Omit<StoredDecision, 'orderVersion' | 'checks'> & { orderVersion: string; checks: PackedCheck[] },
  [merchantId: string, orderId: string]
>({
  name: 'find the newest decision about an order',
  parameters: ['text', 'text'],
  columns: {
    number: 'integer',
    decidedAt: 'text',
    orderVersion: 'bigint',
    programVersion: 'integer',
    rule: 'text',
    outcome: 'text',
    reason: 'text',
    checks: 'json',
  },
  text: `
    SELECT d.number, rules.iso_utc(d.created_at) AS "decidedAt", d.order_version AS "orderVersion",
      d.program_version AS "programVersion", d.rule, d.outcome, d.reason, d.checks
    FROM orders o CROSS JOIN LATERAL (
      SELECT * FROM decisions WHERE merchant_id = o.merchant_id AND order_id = o.order_id
      ORDER BY number DESC LIMIT 1) d
    WHERE o.merchant_id = $1 AND o.order_id = $2 AND d.member_id = o.member_id`,
});

async function findNewestDecision(
  tx: Queryable,
  merchantId: string,
  orderId: string,
): Promise<StoredDecision | null> {
  const [decision] = await run(tx, findDecisionSql, [merchantId, orderId]);
  if (!decision) return null;
  return {
    ...decision,
    orderVersion: Number(decision.orderVersion),
    checks: unpackChecks(decision.checks),
  };
}

/** The most entries of a timeline. An order that was sent again a thousand times has more. */
const newestEntries = 500;

/**
 * The timeline of an order, newest first. The rows of one evaluation have the same time; `rank` puts them in causal
 * order. The times of other clocks are bounded by the database's: a version has the time of Redis or the API, limited
 * to the times of its storage and evaluation; an attempt has the time of its worker, but not one before its delivery
 * or the previous attempt. A dropped state names the time of the stored one, which is later. What retention has deleted is an entry too:
 * decisions by the number of the first one that is left, events and attempts if they are older than the first partition.
 */
const timelineSql = statement<{ entry: TimelineEntry }, [merchantId: string, orderId: string, limit: number]>(
  {
    name: 'list the timeline of an order',
    parameters: ['text', 'text', 'bigint'],
    columns: { entry: 'jsonb' },
    text: `
    WITH order_rewards AS (
      SELECT * FROM rewards WHERE merchant_id = $1 AND order_id = $2
    ), order_events AS (
      SELECT e.*, NOT w.blocked_by_open_revocation AND CASE e.type WHEN 'reward.revoke' THEN w.revoked_to ELSE w.issued_to END = '{}' AS no_webhook
      FROM events e JOIN order_rewards w ON e.merchant_id = w.merchant_id AND e.reward_id = w.id
    ), order_deliveries AS (
      SELECT d.*, p.url, e.sequence, CASE
          WHEN d.state = 'pending' AND p.sendable
          THEN greatest(now(), least(d.retry_at, greatest(d.next_attempt_at, p.send_after, now()))) END AS next_at
      FROM order_events e
      JOIN deliveries d ON d.merchant_id = e.merchant_id AND d.event_id = e.id
      JOIN endpoints p ON p.merchant_id = d.merchant_id AND p.id = d.endpoint_id
    ), entries AS (
      SELECT
        least(to_timestamp(stamp / 1000000.0), o.updated_at, (
          SELECT min(d.created_at) FROM decisions d
          WHERE d.merchant_id = $1 AND d.order_id = $2 AND d.order_version >= stamp)) AS at,
        1 AS rank,
        stamp AS number,
        jsonb_build_object('what', 'version_received', 'version', stamp) AS detail
      FROM orders o CROSS JOIN LATERAL unnest(o.versions) AS stamp
      WHERE o.merchant_id = $1 AND o.order_id = $2
      UNION ALL
      SELECT least(to_timestamp(stamp / 1000000.0), now()), 1, stamp,
        jsonb_build_object('what', 'version_dropped', 'version', stamp,
          'stored_time', rules.iso_utc(to_timestamp(o.sent_at / 1000000.0)),
          'stored_time_of', CASE WHEN o.sent_at < o.version THEN 'updated_at' ELSE 'acceptance' END)
      FROM orders o CROSS JOIN LATERAL unnest(o.outdated) AS stamp
      WHERE o.merchant_id = $1 AND o.order_id = $2
      UNION ALL
      SELECT coalesce(m.from_linked_at, m.moved_at, r.linked_at), 2, 0, jsonb_build_object('what', 'member_linked',
        'referral_id', r.id,
        'referrer_member_id', coalesce(m.from_referrer_member_id, m.to_referrer_member_id, r.referrer_member_id),
        'source', r.source, 'flags', r.flags)
      FROM orders o JOIN referrals r ON r.merchant_id = o.merchant_id AND r.referee_member_id = o.member_id
      LEFT JOIN referral_moves m ON m.merchant_id = r.merchant_id AND m.referral_id = r.id AND m.number = 1
      WHERE o.merchant_id = $1 AND o.order_id = $2
      UNION ALL
      SELECT m.moved_at, 2, m.number, jsonb_build_object('what', 'link_moved', 'referral_id', r.id,
        'from_referrer_member_id', m.from_referrer_member_id, 'referrer_member_id', m.to_referrer_member_id,
        'from_order_id', m.from_order_id, 'by', m.moved_by, 'reason', m.reason)
      FROM orders o JOIN referrals r ON r.merchant_id = o.merchant_id AND r.referee_member_id = o.member_id
      JOIN referral_moves m ON m.merchant_id = r.merchant_id AND m.referral_id = r.id
      WHERE o.merchant_id = $1 AND o.order_id = $2
      UNION ALL
      SELECT a.merged_at, 2, 0, jsonb_build_object('what', 'member_merged', 'former_member_id', a.alias_id,
        'member_id', a.result->>'memberId', 'by', a.merged_by, 'reason', a.reason)
      FROM orders o JOIN member_aliases a ON a.merchant_id = o.merchant_id AND a.member_id = o.member_id
      WHERE o.merchant_id = $1 AND o.order_id = $2
      UNION ALL
      SELECT r.reviewed_at, 2, 1, jsonb_build_object('what', 'referral_' || r.review, 'referral_id', r.id,
        'by', r.reviewed_by)
      FROM orders o JOIN referrals r ON r.merchant_id = o.merchant_id AND r.referee_member_id = o.member_id
      WHERE o.merchant_id = $1 AND o.order_id = $2 AND r.reviewed_at IS NOT NULL
      UNION ALL
      SELECT created_at, 3, number, jsonb_build_object('what', 'evaluated', 'order_version', order_version,
        'program_version', program_version, 'rule', rule, 'outcome', outcome, 'reason', reason, 'checks', checks)
      FROM decisions WHERE merchant_id = $1 AND order_id = $2
      UNION ALL
      SELECT min(created_at), 2, 2, jsonb_build_object('what', 'decisions_deleted', 'count', min(number) - 1)
      FROM decisions WHERE merchant_id = $1 AND order_id = $2
      HAVING min(number) > 1
      UNION ALL
      SELECT created_at, 3, 0, jsonb_build_object('what', 'corrected', 'kind', kind, 'reward_id', reward_id,
        'by', corrected_by, 'reason', reason)
      FROM reward_corrections WHERE merchant_id = $1 AND order_id = $2
      UNION ALL
      SELECT created_at, 4, 0, jsonb_build_object('what', 'reward_given', 'reward_id', id, 'role', role,
        'member_id', member_id, 'type', type, 'amount', amount, 'unit', unit, 'state', state,
        'confirm_due_at', rules.iso_utc(confirm_due_at))
      FROM order_rewards
      UNION ALL
      SELECT confirmed_at, 5, 0, jsonb_build_object('what', 'reward_confirmed', 'reward_id', id,
        'not_notified', nullif(blocked_by_open_revocation, false))
      FROM order_rewards WHERE confirmed_at IS NOT NULL
      UNION ALL
      SELECT ended_at, 6, 0, jsonb_build_object('what', 'reward_' || state, 'reward_id', id)
      FROM order_rewards WHERE ended_at IS NOT NULL
      UNION ALL
      SELECT created_at, 7, sequence, jsonb_build_object('what', 'event', 'event_id', id, 'type', type,
        'reward_id', reward_id, 'no_webhook', nullif(no_webhook, false))
      FROM order_events
      UNION ALL
      SELECT created_at, 8, sequence, jsonb_build_object('what', 'delivery', 'delivery_id', id,
        'event_id', event_id, 'url', url, 'state', state, 'next_attempt_at', rules.iso_utc(next_at))
      FROM order_deliveries
      UNION ALL
      SELECT expected.at, 7, 0, jsonb_build_object('what', 'event_deleted', 'type', expected.type, 'reward_id', w.id,
        'notified', expected.notified)
      FROM order_rewards w CROSS JOIN LATERAL (VALUES
        ('reward.issue', w.confirmed_at, w.issued_to <> '{}'),
        ('reward.revoke', CASE w.state WHEN 'revoked' THEN w.ended_at END, w.revoked_to <> '{}')
      ) AS expected (type, at, notified)
      WHERE expected.at < (SELECT min(since) FROM rules.partitions WHERE parent = 'events')
        AND NOT EXISTS (SELECT 1 FROM order_events e WHERE e.reward_id = w.id AND e.type = expected.type)
      UNION ALL
      SELECT d.created_at, 9, 0, jsonb_build_object('what', 'attempts_deleted', 'delivery_id', d.id,
        'count', d.attempts_made - count(a.number))
      FROM order_deliveries d LEFT JOIN attempts a ON a.merchant_id = d.merchant_id AND a.delivery_id = d.id
      WHERE d.created_at < (SELECT min(since) FROM rules.partitions WHERE parent = 'attempts')
      GROUP BY d.id, d.created_at, d.attempts_made
      HAVING d.attempts_made > count(a.number)
      UNION ALL
      SELECT max(greatest(a.started_at, d.created_at)) OVER (PARTITION BY a.delivery_id ORDER BY a.number), 9, a.number,
        jsonb_build_object('what', 'attempt', 'delivery_id', a.delivery_id, 'number', a.number,
          'status', a.status, 'error', a.error_class, 'warning', a.warning,
          'retried_on_new_connection', nullif(a.retried_on_new_connection, false), 'ignored', nullif(a.ignored, false))
      FROM order_deliveries d JOIN attempts a ON a.merchant_id = d.merchant_id AND a.delivery_id = d.id
    )
    SELECT jsonb_build_object('at', rules.iso_utc(at)) || jsonb_strip_nulls(detail) AS entry
    FROM entries ORDER BY entries.at DESC, rank DESC, number DESC LIMIT $3`,
  },
);

/**
 * Lists the newest versions, the referral, merges, decisions, corrections by people, rewards, events, deliveries and attempts of an order,
 * oldest first: as many as fit into a page.
 */
async function listTimeline(tx: Queryable, merchantId: string, orderId: string): Promise<TimelineEntry[]> {
  const rows = await run(tx, timelineSql, [merchantId, orderId, newestEntries]);
  return takePage(rows, newestEntries)
    .toReversed()
    .map(({ entry }) => {
      const { checks } = entry;
      return checks === undefined ? entry : { ...entry, checks: unpackChecks(checks as PackedCheck[]) };
    });
}

/** Finds an order whose evaluation is parked, with what can be read of it; undefined when it is not parked. */
async function findParkedOrder(database: Database, merchantId: string, orderId: string) {
  const [order, parked, program] = await Promise.all([
    database.order.findUnique({ where: { merchantId_orderId: { merchantId, orderId } } }),
    database.dueBatch.findFirst({
      where: { merchantId, orderIds: { has: orderId }, parkedAt: { not: null } },
      orderBy: { parkedAt: 'asc' },
    }),
    database.programVersion.findFirst({ where: { merchantId }, orderBy: { version: 'desc' } }),
  ]);
  if (!order || !parked?.parkedAt || !program) return undefined;
  return {
    orderId,
    memberId: order.memberId,
    version: Number(order.version),
    program: { id: program.programId, version: program.version },
    sentMemberId: order.sentMemberId,
    parkedSince: parked.parkedAt.toISOString(),
  };
}
