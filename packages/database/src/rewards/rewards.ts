import type { Queryable } from '../client/client.ts';
import {
  bigint,
  boolean,
  doublePrecision,
  integer,
  rowColumns,
  text,
  timestamptz,
} from '../client/row-columns.ts';
import { booleanArray, numberArray, textArray } from '../client/sql-arrays.ts';
import { run, statement } from '../client/statement.ts';
import type { NoRow } from '../client/statement.ts';
import type { ReferralSource, RewardRole } from '../states.ts';

/** A reward to store. `at`, here and below, is ISO 8601 in UTC with microseconds. */
export interface RewardRow {
  id: string;
  programId: string;
  programVersion: number;
  /** The rule of that version; null when a person gives it. */
  rule: string | null;
  referralId: string;
  /** Of the link under which it is given. */
  linkSource: ReferralSource;
  /** The number of the move by a person that made the link; 0 for none. */
  linkNumber: number;
  subject: string;
  role: RewardRole;
  memberId: string;
  orderId: string;
  type: string;
  amount: number;
  unit: string;
  month: string;
  holdDays: number;
  /** When its hold ends, as `at`; null without a hold. */
  confirmDueAt: string | null;
  /** When it expires, as `at`; null for never, and for a pending one. */
  expiresAt: string | null;
  /** Whether it waits for the end of its hold or for a review; otherwise it is confirmed at once. */
  pending: boolean;
  /** Whether its `reward.issue` is stored without deliveries. */
  blockedByOpenRevocation: boolean;
  at: string;
}

/** Another amount and month of a pending reward, which follow its order. */
export interface RewardAmendment {
  id: string;
  amount: number;
  month: string;
}

/** The confirmation of a pending reward; `blockedByOpenRevocation` as of {@link RewardRow}. */
export interface Confirmation extends RewardChange {
  expiresAt: string | null;
  blockedByOpenRevocation: boolean;
}

/** Another end of the hold of a pending reward, ISO 8601 in UTC with microseconds. */
export interface HoldChange {
  id: string;
  confirmDueAt: string;
}

/** A change of a reward's state. */
export interface RewardChange {
  id: string;
  at: string;
}

interface ChangedReward {
  id: string;
  /** 64-bit integer */
  amount: string;
}

const rewardColumns = rowColumns<RewardRow>({
  id: text,
  programId: text,
  programVersion: integer,
  referralId: text,
  subject: text,
  role: text,
  memberId: text,
  orderId: text,
  type: text,
  amount: bigint,
  unit: text,
  month: text,
  holdDays: doublePrecision,
  confirmDueAt: timestamptz,
  pending: boolean,
  blockedByOpenRevocation: boolean,
  at: timestamptz,
  linkSource: text,
  linkNumber: integer,
  rule: text,
  expiresAt: timestamptz,
});

const insertRewardsSql = statement<ChangedReward, [merchantId: string, ...rewards: string[]]>({
  name: 'insert rewards',
  parameters: ['text', ...rewardColumns.types],
  columns: { id: 'text', amount: 'bigint' },
  text: `
    INSERT INTO rewards (merchant_id, id, program_id, program_version, referral_id, subject, role, member_id, order_id,
      type, amount, unit, month, state, created_at, hold_days, confirm_due_at,
      confirmed_at, blocked_by_open_revocation, no_webhook_registered, link_source, link_number, rule, expires_at)
    SELECT $1, r.id, r.program_id, r.program_version, r.referral_id, r.subject, r.role, r.member_id, r.order_id,
      r.type, r.amount, r.unit, r.month,
      CASE WHEN r.pending THEN 'pending' ELSE 'confirmed' END, r.at, r.hold_days, r.confirm_due_at,
      CASE WHEN NOT r.pending THEN r.at END, r.blocked_by_open_revocation,
      NOT r.pending AND NOT r.blocked_by_open_revocation AND NOT EXISTS (
        SELECT 1 FROM endpoints
        WHERE merchant_id = $1 AND deleted_at IS NULL AND 'reward.issue' = ANY(event_types)),
      r.link_source, r.link_number, r.rule, r.expires_at
    FROM unnest($2::text[], $3::text[], $4::int[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
        $10::text[], $11::bigint[], $12::text[], $13::text[], $14::double precision[], $15::timestamptz[],
        $16::boolean[], $17::boolean[], $18::timestamptz[], $19::text[], $20::int[],
        $21::text[], $22::timestamptz[])
      AS r (id, program_id, program_version, referral_id, subject, role, member_id, order_id,
        type, amount, unit, month, hold_days, confirm_due_at, pending, blocked_by_open_revocation, at, link_source, link_number,
        rule, expires_at)
    RETURNING id, amount`,
});

/**
 * Inserts rewards, and returns them. One that no webhook will be sent is marked here, so that inserting its event need not update it.
 *
 * A unique key (`rewards_live_key`) allows one live reward for a program, subject and role, and another one (`rewards_live_order_key`) one by
 * rule for an order and role. An evaluation never meets them: it holds the
 * lock on the referral while it reads the live rewards and writes another one, and the id of a reward is derived from the same
 * columns and the number of earlier ones, so a second insert would violate the primary key first. The keys also protect against
 * manual SQL and future code.
 * @throws a unique violation (SQLSTATE 23505); the callers run the transaction again (`retryConflicts`)
 */
export function insertRewards(
  tx: Queryable,
  merchantId: string,
  rewards: RewardRow[],
): Promise<ChangedReward[]> {
  return run(tx, insertRewardsSql, [merchantId, ...rewardColumns.arraysOf(rewards)]);
}

const lockRewardsSql = statement<NoRow, [merchantId: string, rewardIds: string]>({
  name: 'lock rewards',
  parameters: ['text', 'text[]'],
  columns: {},
  text: `
    SELECT FROM unnest($2::text[]) AS wanted (id)
    CROSS JOIN LATERAL (
      SELECT * FROM rewards
      WHERE merchant_id = (SELECT $1::text) AND id >= wanted.id AND id <= wanted.id
      ORDER BY id OFFSET 0 FOR NO KEY UPDATE) w`,
});

const confirmRewardsSql = statement<
  ChangedReward,
  [merchantId: string, rewardIds: string, times: string, blockedByOpenRevocation: string, expiries: string]
>({
  name: 'confirm rewards',
  parameters: ['text', 'text[]', 'timestamp with time zone[]', 'boolean[]', 'timestamp with time zone[]'],
  columns: { id: 'text', amount: 'bigint' },
  text: `
    UPDATE rewards r SET state = 'confirmed', confirmed_at = change.at, expires_at = change.expires_at,
      blocked_by_open_revocation = change.blocked_by_open_revocation
    FROM (
      SELECT w.row, wanted.at, wanted.blocked_by_open_revocation, wanted.expires_at
      FROM unnest($2::text[], $3::timestamptz[], $4::boolean[], $5::timestamptz[])
        AS wanted (id, at, blocked_by_open_revocation, expires_at)
      CROSS JOIN LATERAL (
        SELECT ctid AS row FROM rewards
        WHERE merchant_id = (SELECT $1::text) AND id >= wanted.id AND id <= wanted.id
        ORDER BY id OFFSET 0 FOR NO KEY UPDATE) w
    ) change
    WHERE r.ctid = change.row AND r.state = 'pending'
    RETURNING r.id, r.amount`,
});

const withdrawRewardsSql = statement<ChangedReward, [merchantId: string, rewardIds: string, times: string]>({
  name: 'withdraw rewards',
  parameters: ['text', 'text[]', 'timestamp with time zone[]'],
  columns: { id: 'text', amount: 'bigint' },
  text: `
    UPDATE rewards r SET
      state = CASE r.state WHEN 'pending' THEN 'cancelled' ELSE 'revoked' END, ended_at = change.at
    FROM (
      SELECT w.row, wanted.at FROM unnest($2::text[], $3::timestamptz[]) AS wanted (id, at)
      CROSS JOIN LATERAL (
        SELECT ctid AS row FROM rewards
        WHERE merchant_id = (SELECT $1::text) AND id >= wanted.id AND id <= wanted.id
        ORDER BY id OFFSET 0 FOR NO KEY UPDATE) w
    ) change
    WHERE r.ctid = change.row AND r.state IN ('pending', 'confirmed')
    RETURNING r.id, r.amount`,
});

const rescheduleRewardsSql = statement<NoRow, [merchantId: string, rewardIds: string, holdEnds: string]>({
  name: 'reschedule rewards',
  parameters: ['text', 'text[]', 'timestamp with time zone[]'],
  columns: {},
  text: `
    UPDATE rewards r SET confirm_due_at = change.hold_ends, hold_enqueued = false
    FROM (
      SELECT w.row, wanted.hold_ends FROM unnest($2::text[], $3::timestamptz[]) AS wanted (id, hold_ends)
      CROSS JOIN LATERAL (
        SELECT ctid AS row FROM rewards
        WHERE merchant_id = (SELECT $1::text) AND id >= wanted.id AND id <= wanted.id
        ORDER BY id OFFSET 0 FOR NO KEY UPDATE) w
    ) change
    WHERE r.ctid = change.row AND r.state = 'pending'`,
});

/** Returns the differences of the amounts. */
const amendRewardsSql = statement<
  ChangedReward,
  [merchantId: string, rewardIds: string, amounts: string, months: string]
>({
  name: 'amend rewards',
  parameters: ['text', 'text[]', 'bigint[]', 'text[]'],
  columns: { id: 'text', amount: 'bigint' },
  text: `
    UPDATE rewards r SET amount = change.amount, month = change.month
    FROM (
      SELECT w.row, w.former, wanted.amount, wanted.month
      FROM unnest($2::text[], $3::bigint[], $4::text[]) AS wanted (id, amount, month)
      CROSS JOIN LATERAL (
        SELECT ctid AS row, amount AS former FROM rewards
        WHERE merchant_id = (SELECT $1::text) AND id >= wanted.id AND id <= wanted.id
        ORDER BY id OFFSET 0 FOR NO KEY UPDATE) w
    ) change
    WHERE r.ctid = change.row AND r.state = 'pending'
    RETURNING r.id, r.amount - change.former AS amount`,
});

/**
 * Locks rewards before the statement that changes them. Otherwise a reward that another transaction changes at the same time (an
 * erasure) would be skipped: its new location is not visible to the statement that waited for the lock.
 */
async function lockRewards(tx: Queryable, merchantId: string, changes: { id: string }[]): Promise<string> {
  const ids = textArray(changes.map(({ id }) => id));
  await run(tx, lockRewardsSql, [merchantId, ids]);
  return ids;
}

/** Changes when the hold of pending rewards ends. */
export async function rescheduleRewards(
  tx: Queryable,
  merchantId: string,
  changes: HoldChange[],
): Promise<void> {
  const ids = await lockRewards(tx, merchantId, changes);
  const ends = textArray(changes.map(({ confirmDueAt }) => confirmDueAt));
  await run(tx, rescheduleRewardsSql, [merchantId, ids, ends]);
}

/** Changes the amounts and months of pending rewards. Returns those that were pending; their amounts are the differences. */
export async function amendRewards(
  tx: Queryable,
  merchantId: string,
  changes: RewardAmendment[],
): Promise<ChangedReward[]> {
  const ids = await lockRewards(tx, merchantId, changes);
  const amounts = numberArray(changes.map(({ amount }) => amount));
  const months = textArray(changes.map(({ month }) => month));
  return run(tx, amendRewardsSql, [merchantId, ids, amounts, months]);
}

/** Confirms pending rewards. Returns those that were pending. */
export async function confirmRewards(
  tx: Queryable,
  merchantId: string,
  changes: Confirmation[],
): Promise<ChangedReward[]> {
  const ids = await lockRewards(tx, merchantId, changes);
  const times = textArray(changes.map(({ at }) => at));
  const blockedByOpenRevocation = booleanArray(changes.map((change) => change.blockedByOpenRevocation));
  const expiries = textArray(changes.map(({ expiresAt }) => expiresAt));
  return run(tx, confirmRewardsSql, [merchantId, ids, times, blockedByOpenRevocation, expiries]);
}

/** Cancels pending and revokes confirmed rewards. Returns those that were either. */
export async function withdrawRewards(
  tx: Queryable,
  merchantId: string,
  changes: RewardChange[],
): Promise<ChangedReward[]> {
  const ids = await lockRewards(tx, merchantId, changes);
  const times = textArray(changes.map(({ at }) => at));
  return run(tx, withdrawRewardsSql, [merchantId, ids, times]);
}
