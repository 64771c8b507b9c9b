import type { Queryable } from '../client/client.ts';
import { jsonTextArray, numberArray, textArray } from '../client/sql-arrays.ts';

/** A reward to be stored. `at`, here and below, is ISO 8601 in UTC with microseconds. */
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
  /** Days until it is confirmed; 0 confirms it with its insertion, unless its referral is under review. */
  holdDays: number;
  underReview: boolean;
  at: string;
}

/** A change of a reward's state. */
export interface RewardChange {
  id: string;
  at: string;
}

/** An event with its exact body; `announce` false stores it without deliveries. */
export interface EventRow {
  id: string;
  type: string;
  rewardId: string;
  body: string;
  announce: boolean;
  at: string;
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

/** Once each: the unique key of live rewards decides, whoever else may be at it. Returns those that were new. */
export function insertRewards(tx: Queryable, merchantId: string, rewards: RewardRow[]): Promise<Changed[]> {
  return tx.query<Changed>(
    `
    INSERT INTO rewards (merchant_id, id, program_id, program_version, referral_id, subject, role, member_id, order_id,
      type, amount, unit, month, state, created_at, confirm_due_at, confirmed_at)
    SELECT $1, r.id, r.program_id, r.program_version, r.referral_id, r.subject, r.role, r.member_id, r.order_id,
      r.type, r.amount, r.unit, r.month,
      CASE WHEN r.hold_days > 0 OR r.under_review THEN 'pending' ELSE 'confirmed' END, r.at,
      CASE WHEN r.hold_days > 0 THEN r.at + make_interval(secs => r.hold_days * 86400) END,
      CASE WHEN r.hold_days > 0 OR r.under_review THEN NULL ELSE r.at END
    FROM unnest($2::text[], $3::text[], $4::int[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
        $10::text[], $11::bigint[], $12::text[], $13::text[], $14::double precision[], $15::boolean[],
        $16::timestamptz[])
      AS r (id, program_id, program_version, referral_id, subject, role, member_id, order_id,
        type, amount, unit, month, hold_days, under_review, at)
    ON CONFLICT (merchant_id, program_id, subject, role) WHERE state IN ('pending', 'confirmed') DO NOTHING
    RETURNING id, amount`,
    [
      merchantId,
      textArray(rewards.map(({ id }) => id)),
      textArray(rewards.map(({ programId }) => programId)),
      numberArray(rewards.map(({ programVersion }) => programVersion)),
      textArray(rewards.map(({ referralId }) => referralId)),
      textArray(rewards.map(({ subject }) => subject)),
      textArray(rewards.map(({ role }) => role)),
      textArray(rewards.map(({ memberId }) => memberId)),
      textArray(rewards.map(({ orderId }) => orderId)),
      textArray(rewards.map(({ type }) => type)),
      numberArray(rewards.map(({ amount }) => amount)),
      textArray(rewards.map(({ unit }) => unit)),
      textArray(rewards.map(({ month }) => month)),
      numberArray(rewards.map(({ holdDays }) => holdDays)),
      `{${rewards.map(({ underReview }) => underReview).join()}}`,
      textArray(rewards.map(({ at }) => at)),
    ],
  );
}

/** Confirms pending rewards. Returns those that were. */
export function confirmRewards(
  tx: Queryable,
  merchantId: string,
  changes: RewardChange[],
): Promise<Changed[]> {
  return changeRewards(tx, merchantId, changes, {
    set: `state = 'confirmed', confirmed_at = change.at`,
    states: `('pending')`,
  });
}

/** Cancels pending and revokes confirmed rewards. Returns those that were either. */
export function withdrawRewards(
  tx: Queryable,
  merchantId: string,
  changes: RewardChange[],
): Promise<Changed[]> {
  return changeRewards(tx, merchantId, changes, {
    set: `state = CASE state WHEN 'pending' THEN 'cancelled' ELSE 'revoked' END, ended_at = change.at`,
    states: `('pending', 'confirmed')`,
  });
}

function changeRewards(
  tx: Queryable,
  merchantId: string,
  changes: RewardChange[],
  { set, states }: { set: string; states: string },
): Promise<Changed[]> {
  return tx.query<Changed>(
    `
    UPDATE rewards r SET ${set} FROM unnest($2::text[], $3::timestamptz[]) AS change (id, at)
    WHERE r.merchant_id = (SELECT $1::text) AND r.id = change.id AND state IN ${states} RETURNING r.id, amount`,
    [merchantId, textArray(changes.map(({ id }) => id)), textArray(changes.map(({ at }) => at))],
  );
}

/**
 * Adds events, and one delivery of each to every endpoint that registered its type; those of a paused or
 * disabled endpoint are held. Returns the endpoints that have something to be sent.
 */
export async function insertEvents(
  tx: Queryable,
  merchantId: string,
  events: AnyEvent[],
  { exceptEndpointId, expiresInSeconds }: EventLimits = {},
): Promise<string[]> {
  const endpoints = await tx.query<{ endpoint_id: string }>(
    `
    WITH told AS (
      SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::boolean[], $9::timestamptz[])
        WITH ORDINALITY AS e (id, type, reward_id, body, announce, at, place)
    ), stored AS (
      INSERT INTO events (merchant_id, id, type, reward_id, body, created_at, expires_at)
      SELECT $1, id, type, reward_id, body, at, at + make_interval(secs => $8::double precision)
      FROM told ORDER BY place
    ), made AS (
      INSERT INTO deliveries (id, merchant_id, event_id, endpoint_id, state, created_at, next_attempt_at)
      SELECT gen_random_uuid(), $1, told.id, p.id,
        CASE WHEN p.disabled_at IS NULL AND p.paused_at IS NULL THEN 'pending' ELSE 'held' END, told.at,
        CASE WHEN p.disabled_at IS NULL AND p.paused_at IS NULL THEN clock_timestamp() END
      FROM told JOIN endpoints p ON p.merchant_id = $1 AND told.type = ANY(p.event_types)
      WHERE told.announce AND p.deleted_at IS NULL AND p.id IS DISTINCT FROM $7::text
      RETURNING endpoint_id, state
    )
    SELECT DISTINCT endpoint_id FROM made WHERE state = 'pending'`,
    [
      merchantId,
      textArray(events.map(({ id }) => id)),
      textArray(events.map(({ type }) => type)),
      textArray(events.map(({ rewardId }) => rewardId)),
      jsonTextArray(events.map(({ body }) => body)),
      `{${events.map(({ announce }) => announce).join()}}`,
      exceptEndpointId ?? null,
      expiresInSeconds ?? null,
      textArray(events.map(({ at }) => at)),
    ],
  );
  return endpoints.map(({ endpoint_id }) => endpoint_id);
}
