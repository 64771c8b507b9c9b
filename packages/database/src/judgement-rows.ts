import type { Check } from '@rewardhook/rewards';
import type { Sql } from './client.ts';

export interface DecisionRow {
  id: string;
  orderId: string;
  orderVersion: number;
  memberId: string;
  referralId: string;
  programVersion: number;
  outcome: string;
  reason: string;
  checks: Check[];
}

export interface RewardRow {
  id: string;
  programId: string;
  programVersion: number;
  referralId: string;
  subject: string;
  role: string;
  memberId: string;
  orderId: string;
  type: string;
  amount: number;
  unit: string;
  month: string;
  /** Days until it is confirmed; 0 confirms it with its insertion. */
  holdDays: number;
}

/** An event with its exact body; `announce` false stores it without deliveries. */
export interface EventRow {
  id: string;
  type: string;
  rewardId: string;
  body: string;
  announce: boolean;
}

/** An event of any kind: not all are about a reward. */
type AnyEvent = Omit<EventRow, 'rewardId'> & { rewardId: string | null };

/** What is particular about some events: whom not to tell of them, and for how long they are worth sending. */
export interface EventLimits {
  exceptEndpointId?: string;
  expiresInSeconds?: number;
}

interface Changed {
  id: string;
  /** A 64-bit integer comes as text. */
  amount: string;
}

/** Adds decisions. One that says what the last one of the order says already is left out. */
export async function insertDecisions(tx: Sql, merchantId: string, decisions: DecisionRow[]): Promise<void> {
  await tx.query(
    `
    INSERT INTO decisions (merchant_id, id, order_id, order_version, member_id, referral_id, program_version,
      outcome, reason, checks)
    SELECT $1, d."id", d."orderId", d."orderVersion", d."memberId", d."referralId", d."programVersion",
      d."outcome", d."reason", d."checks"
    FROM jsonb_to_recordset($2::jsonb) AS d ("id" text, "orderId" text,
      "orderVersion" bigint, "memberId" text, "referralId" text, "programVersion" int, "outcome" text,
      "reason" text, "checks" jsonb)
    LEFT JOIN LATERAL (
      SELECT x.order_version, x.program_version, x.outcome, x.reason, x.referral_id
      FROM decisions x WHERE x.merchant_id = $1 AND x.order_id = d."orderId"
      ORDER BY x.created_at DESC LIMIT 1) last ON true
    WHERE (last.order_version, last.program_version, last.outcome, last.reason, last.referral_id)
      IS DISTINCT FROM (d."orderVersion", d."programVersion", d."outcome", d."reason", d."referralId")`,
    [merchantId, JSON.stringify(decisions)],
  );
}

/** Once each: the unique key of live rewards decides, whoever else may be at it. Returns those that were new. */
export function insertRewards(tx: Sql, merchantId: string, rewards: RewardRow[]): Promise<Changed[]> {
  return tx.query<Changed>(
    `
    INSERT INTO rewards (merchant_id, id, program_id, program_version, referral_id, subject, role, member_id, order_id,
      type, amount, unit, month, state, confirm_due_at, confirmed_at)
    SELECT $1, r."id", r."programId", r."programVersion", r."referralId", r."subject", r."role",
      r."memberId", r."orderId", r."type", r."amount", r."unit", r."month",
      CASE WHEN r."holdDays" > 0 THEN 'pending' ELSE 'confirmed' END,
      CASE WHEN r."holdDays" > 0 THEN now() + make_interval(secs => r."holdDays" * 86400) END,
      CASE WHEN r."holdDays" > 0 THEN NULL ELSE now() END
    FROM jsonb_to_recordset($2::jsonb) AS r ("id" text, "programId" text,
      "programVersion" int, "referralId" text, "subject" text, "role" text, "memberId" text, "orderId" text,
      "type" text, "amount" bigint, "unit" text, "month" text, "holdDays" double precision)
    ON CONFLICT (merchant_id, program_id, subject, role) WHERE state IN ('pending', 'confirmed') DO NOTHING
    RETURNING id, amount`,
    [merchantId, JSON.stringify(rewards)],
  );
}

/** Confirms pending rewards. Returns those that were. */
export function confirmRewards(tx: Sql, merchantId: string, ids: string[]): Promise<Changed[]> {
  return tx.query<Changed>(
    `
    UPDATE rewards SET state = 'confirmed', confirmed_at = now()
    WHERE merchant_id = $1 AND id = ANY($2) AND state = 'pending' RETURNING id, amount`,
    [merchantId, ids],
  );
}

/** Cancels pending and revokes confirmed rewards. Returns those that were either. */
export function withdrawRewards(tx: Sql, merchantId: string, ids: string[]): Promise<Changed[]> {
  return tx.query<Changed>(
    `
    UPDATE rewards SET state = CASE state WHEN 'pending' THEN 'canceled' ELSE 'revoked' END, ended_at = now()
    WHERE merchant_id = $1 AND id = ANY($2) AND state IN ('pending', 'confirmed') RETURNING id, amount`,
    [merchantId, ids],
  );
}

/**
 * Adds events, and one delivery of each to every endpoint that registered its type; those of a paused or
 * disabled endpoint are held. Returns the endpoints that have something to be sent.
 */
export async function insertEvents(
  tx: Sql,
  merchantId: string,
  events: AnyEvent[],
  { exceptEndpointId, expiresInSeconds }: EventLimits = {},
): Promise<string[]> {
  const endpoints = await tx.query<{ endpoint_id: string }>(
    `
    WITH told AS (
      SELECT * FROM jsonb_to_recordset($1::jsonb) AS e ("id" text, "type" text,
        "rewardId" text, "body" text, "announce" boolean)
    ), stored AS (
      INSERT INTO events (merchant_id, id, type, reward_id, body, expires_at)
      SELECT $2, "id", "type", "rewardId", "body", now() + make_interval(secs => $4::double precision) FROM told
    ), made AS (
      INSERT INTO deliveries (id, merchant_id, event_id, endpoint_id, state, next_attempt_at)
      SELECT gen_random_uuid(), $2, told."id", p.id,
        CASE WHEN p.disabled_at IS NULL AND p.paused_at IS NULL THEN 'pending' ELSE 'held' END,
        CASE WHEN p.disabled_at IS NULL AND p.paused_at IS NULL THEN now() END
      FROM told JOIN endpoints p ON p.merchant_id = $2 AND told."type" = ANY(p.event_types)
      WHERE told."announce" AND p.deleted_at IS NULL AND p.id IS DISTINCT FROM $3::text
      RETURNING endpoint_id, state
    )
    SELECT DISTINCT endpoint_id FROM made WHERE state = 'pending'`,
    [JSON.stringify(events), merchantId, exceptEndpointId ?? null, expiresInSeconds ?? null],
  );
  return endpoints.map(({ endpoint_id }) => endpoint_id);
}

/** An order that changed since it was read stays due: its newer version is judged next. */
export async function deleteDue(
  tx: Sql,
  merchantId: string,
  judged: { orderId: string; version: number }[],
): Promise<void> {
  await tx.query(
    `
    DELETE FROM due_judgements due
    USING jsonb_to_recordset($1::jsonb) AS j ("orderId" text, "version" bigint)
    WHERE due.merchant_id = $2 AND due.order_id = j."orderId" AND due.version <= j."version"`,
    [JSON.stringify(judged), merchantId],
  );
}
