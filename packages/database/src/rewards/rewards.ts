import type { Queryable } from '../client/client.ts';
import { booleanArray, numberArray, textArray } from '../client/sql-arrays.ts';
import { run, statement } from '../client/statement.ts';
import type { NoRow, Statement } from '../client/statement.ts';
import type { RewardRole } from '../states.ts';

/** A reward to store. `at`, here and below, is ISO 8601 in UTC with microseconds. */
export interface RewardRow {
  id: string;
  programId: string;
  programVersion: number;
  referralId: string;
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
  /** Whether it waits for the end of its hold or for a review; otherwise it is confirmed at once. */
  pending: boolean;
  at: string;
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

const insertRewardsSql = statement<
  ChangedReward,
  [
    merchantId: string,
    ids: string,
    programIds: string,
    programVersions: string,
    referralIds: string,
    subjects: string,
    roles: string,
    memberIds: string,
    orderIds: string,
    types: string,
    amounts: string,
    units: string,
    months: string,
    holdDays: string,
    holdEnds: string,
    pending: string,
    times: string,
  ]
>({
  name: 'insert rewards',
  parameters: [
    'text',
    'text[]',
    'text[]',
    'integer[]',
    'text[]',
    'text[]',
    'text[]',
    'text[]',
    'text[]',
    'text[]',
    'bigint[]',
    'text[]',
    'text[]',
    'double precision[]',
    'timestamp with time zone[]',
    'boolean[]',
    'timestamp with time zone[]',
  ],
  columns: { id: 'text', amount: 'bigint' },
  text: `
    INSERT INTO rewards (merchant_id, id, program_id, program_version, referral_id, subject, role, member_id, order_id,
      type, amount, unit, month, state, created_at, hold_days, confirm_due_at,
      confirmed_at)
    SELECT $1, r.id, r.program_id, r.program_version, r.referral_id, r.subject, r.role, r.member_id, r.order_id,
      r.type, r.amount, r.unit, r.month,
      CASE WHEN r.pending THEN 'pending' ELSE 'confirmed' END, r.at, r.hold_days, r.confirm_due_at,
      CASE WHEN NOT r.pending THEN r.at END
    FROM unnest($2::text[], $3::text[], $4::int[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
        $10::text[], $11::bigint[], $12::text[], $13::text[], $14::double precision[], $15::timestamptz[],
        $16::boolean[], $17::timestamptz[])
      AS r (id, program_id, program_version, referral_id, subject, role, member_id, order_id,
        type, amount, unit, month, hold_days, confirm_due_at, pending, at)
    ON CONFLICT (merchant_id, program_id, subject, role) WHERE state IN ('pending', 'confirmed') DO NOTHING
    RETURNING id, amount`,
});

/** Inserts rewards. Returns those that are new: a unique key allows one live reward for a subject and role. */
export function insertRewards(
  tx: Queryable,
  merchantId: string,
  rewards: RewardRow[],
): Promise<ChangedReward[]> {
  return run(tx, insertRewardsSql, [
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
    textArray(rewards.map(({ confirmDueAt }) => confirmDueAt)),
    booleanArray(rewards.map(({ pending }) => pending)),
    textArray(rewards.map(({ at }) => at)),
  ]);
}

type ChangeValues = [merchantId: string, rewardIds: string, times: string];

const changeParameters: Statement<NoRow, ChangeValues>['parameters'] = [
  'text',
  'text[]',
  'timestamp with time zone[]',
];

const lockRewardsSql = statement<NoRow, ChangeValues>({
  name: 'lock rewards',
  parameters: changeParameters,
  columns: {},
  text: `
    SELECT FROM unnest($2::text[], $3::timestamptz[]) AS wanted (id, at)
    CROSS JOIN LATERAL (
      SELECT * FROM rewards
      WHERE merchant_id = (SELECT $1::text) AND id >= wanted.id AND id <= wanted.id
      ORDER BY id OFFSET 0 FOR NO KEY UPDATE) w`,
});

const confirmRewardsSql = statement<ChangedReward, ChangeValues>({
  name: 'confirm rewards',
  parameters: changeParameters,
  columns: { id: 'text', amount: 'bigint' },
  text: `
    UPDATE rewards r SET state = 'confirmed', confirmed_at = change.at
    FROM (
      SELECT w.row, wanted.at FROM unnest($2::text[], $3::timestamptz[]) AS wanted (id, at)
      CROSS JOIN LATERAL (
        SELECT ctid AS row FROM rewards
        WHERE merchant_id = (SELECT $1::text) AND id >= wanted.id AND id <= wanted.id
        ORDER BY id OFFSET 0 FOR NO KEY UPDATE) w
    ) change
    WHERE r.ctid = change.row AND r.state = 'pending'
    RETURNING r.id, r.amount`,
});

const withdrawRewardsSql = statement<ChangedReward, ChangeValues>({
  name: 'withdraw rewards',
  parameters: changeParameters,
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

/**
 * Changes rewards in a statement of its own after they were locked. Otherwise a reward that another transaction changes at
 * the same time (an erasure) would be skipped: its new location is not visible to the statement that waited for the lock.
 */
async function changeRewards(
  tx: Queryable,
  change: Statement<ChangedReward, ChangeValues>,
  merchantId: string,
  changes: RewardChange[],
): Promise<ChangedReward[]> {
  const ids = textArray(changes.map(({ id }) => id));
  const times = textArray(changes.map(({ at }) => at));
  await run(tx, lockRewardsSql, [merchantId, ids, times]);
  return run(tx, change, [merchantId, ids, times]);
}

const rescheduleRewardsSql = statement<NoRow, [merchantId: string, rewardIds: string, holdEnds: string]>({
  name: 'reschedule rewards',
  parameters: changeParameters,
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

/** Changes when the hold of pending rewards ends. */
export async function rescheduleRewards(
  tx: Queryable,
  merchantId: string,
  changes: HoldChange[],
): Promise<void> {
  const ids = textArray(changes.map(({ id }) => id));
  const ends = textArray(changes.map(({ confirmDueAt }) => confirmDueAt));
  await run(tx, lockRewardsSql, [merchantId, ids, ends]);
  await run(tx, rescheduleRewardsSql, [merchantId, ids, ends]);
}

/** Confirms pending rewards. Returns those that were pending. */
export function confirmRewards(
  tx: Queryable,
  merchantId: string,
  changes: RewardChange[],
): Promise<ChangedReward[]> {
  return changeRewards(tx, confirmRewardsSql, merchantId, changes);
}

/** Cancels pending and revokes confirmed rewards. Returns those that were either. */
export function withdrawRewards(
  tx: Queryable,
  merchantId: string,
  changes: RewardChange[],
): Promise<ChangedReward[]> {
  return changeRewards(tx, withdrawRewardsSql, merchantId, changes);
}
