import { isLive, isOfReferral, laterOf } from '@rewardhook/rewards';
import type { EarlierReward, Program, ReferralState } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { textArray } from '../client/sql-arrays.ts';
import { run, statement } from '../client/statement.ts';
import { isoUtc } from '../client/timestamps.ts';
import { listProgramVersions } from './program-versions.ts';
import { listReferralStatesById } from './referral-states.ts';

/** A row of {@link rewardsSql}; 64-bit integers are text. */
type Row = Pick<
  EarlierReward,
  | 'id'
  | 'role'
  | 'subject'
  | 'orderId'
  | 'memberId'
  | 'type'
  | 'unit'
  | 'month'
  | 'state'
  | 'holdDays'
  | 'confirmDueAt'
  | 'holdEnqueued'
> & { amount: string; referralId: string; version: number; notBefore: string };

interface Notified {
  id: string;
  issueNotified: boolean;
  revokeNotified: boolean;
}

/** Rewards of these orders, and rewards under the first-order rule of these referrals; a reward can be both. */
const rewardsSql = statement<Row, [merchantId: string, orderIds: string, referralIds: string]>({
  name: 'list earlier rewards',
  parameters: ['text', 'text[]', 'text[]'],
  columns: {
    id: 'text',
    role: 'text',
    subject: 'text',
    orderId: 'text',
    memberId: 'text',
    type: 'text',
    amount: 'bigint',
    unit: 'text',
    month: 'text',
    state: 'text',
    referralId: 'text',
    version: 'integer',
    holdDays: 'double precision',
    confirmDueAt: 'text',
    holdEnqueued: 'boolean',
    notBefore: 'text',
  },
  text: `
    SELECT w.id, w.role, w.subject, w.order_id AS "orderId", w.member_id AS "memberId", w.type, w.amount, w.unit, w.month,
      w.state, w.referral_id AS "referralId", w.program_version AS version,
      w.hold_days AS "holdDays", to_json(w.confirm_due_at AT TIME ZONE 'UTC')::text AS "confirmDueAt",
      w.hold_enqueued AS "holdEnqueued",
      to_json((greatest(w.created_at, w.confirmed_at, w.ended_at) + interval '1 microsecond') AT TIME ZONE 'UTC')::text
        AS "notBefore"
    FROM (
      SELECT by_order.* FROM unnest($2::text[]) AS wanted (order_id)
      CROSS JOIN LATERAL (
        SELECT * FROM rewards
        WHERE merchant_id = (SELECT $1::text) AND order_id >= wanted.order_id AND order_id <= wanted.order_id
        ORDER BY order_id OFFSET 0) by_order
      UNION ALL
      SELECT by_referral.* FROM unnest($3::text[]) AS wanted (id)
      CROSS JOIN LATERAL (
        SELECT * FROM rewards
        WHERE merchant_id = (SELECT $1::text)
          AND subject >= 'referral:' || wanted.id AND subject <= 'referral:' || wanted.id
          AND starts_with(subject, 'referral:')
        ORDER BY subject OFFSET 0) by_referral
    ) w
    ORDER BY w.created_at, w.id`,
});

const notifiedSql = statement<Notified, [merchantId: string, rewardIds: string]>({
  name: 'list what a merchant was notified of',
  parameters: ['text', 'text[]'],
  columns: { id: 'text', issueNotified: 'boolean', revokeNotified: 'boolean' },
  text: `
    SELECT w.id, w.issue_notified AS "issueNotified", w.revoke_notified AS "revokeNotified"
    FROM unnest($2::text[]) AS wanted (id)
    CROSS JOIN LATERAL (
      SELECT * FROM rewards
      WHERE merchant_id = (SELECT $1::text) AND id >= wanted.id AND id <= wanted.id
      ORDER BY id OFFSET 0) w`,
});

/** Stored rewards, oldest first, by order and by referral. */
export class EarlierRewards {
  readonly #byId = new Map<string, EarlierReward>();
  readonly #byOrder = new Map<string, EarlierReward[]>();
  readonly #byReferral = new Map<string, EarlierReward[]>();
  readonly #notBefore = new Map<string, string>();

  /** Adds a reward, unless it was added before; `notBefore` is the earliest time of a later change. */
  add(reward: EarlierReward, notBefore: string): void {
    if (this.#byId.has(reward.id)) return;
    this.#byId.set(reward.id, reward);
    this.#notBefore.set(reward.id, notBefore);
    append(this.#byOrder, reward.orderId, reward);
    if (isOfReferral(reward)) append(this.#byReferral, reward.referral.id, reward);
  }

  /** The rewards of an order, then the other rewards of its referral under the first-order rule. */
  of(orderId: string, referralId: string | undefined): EarlierReward[] {
    const own = this.#byOrder.get(orderId) ?? none;
    const ofReferral = (referralId !== undefined && this.#byReferral.get(referralId)) || none;
    if (ofReferral.length === 0) return own;
    return [...own, ...ofReferral.filter((reward) => reward.orderId !== orderId)];
  }

  /** The earliest time of a change after these rewards; null when there are none. */
  notBefore(rewards: EarlierReward[]): string | null {
    let latest: string | null = null;
    for (const { id } of rewards) {
      const notBefore = this.#notBefore.get(id);
      if (notBefore !== undefined) latest = laterOf(notBefore, latest);
    }
    return latest;
  }

  /** The number of rewards. */
  get count(): number {
    return this.#byId.size;
  }

  /** The ids of orders with the live rewards of a referral under the first-order rule. */
  rewardedOrders(referralId: string): string[] {
    const live = this.#byReferral.get(referralId)?.filter(isLive) ?? none;
    return [...new Set(live.map(({ orderId }) => orderId))];
  }
}

const none: EarlierReward[] = [];

function append(index: Map<string, EarlierReward[]>, key: string, reward: EarlierReward): void {
  const known = index.get(key);
  if (known) known.push(reward);
  else index.set(key, [reward]);
}

/**
 * Lists the rewards of these orders and of these referrals, and adds them to `rewards`. Versions of the program that are not
 * among `programs` are read when a reward was given under them.
 */
export async function listEarlierRewards(
  database: Queryable,
  merchantId: string,
  orderIds: string[],
  referrals: ReferralState[],
  programs: Program[],
  rewards = new EarlierRewards(),
): Promise<EarlierRewards> {
  const known = new Map(referrals.map((referral) => [referral.id, referral]));
  const rows = await run(database, rewardsSql, [
    merchantId,
    textArray(orderIds),
    textArray([...known.keys()]),
  ]);
  // An order that moved to another member still has rewards of its former member's referral.
  const others = [...new Set(rows.map((row) => row.referralId))].filter((id) => !known.has(id));
  if (others.length > 0)
    for (const [id, referral] of await listReferralStatesById(database, merchantId, others))
      known.set(id, referral);
  const notified = await listNotified(database, merchantId, rows);
  const all = await withVersionsOf(database, merchantId, programs, rows);
  for (const row of rows) {
    const referral = known.get(row.referralId);
    if (referral) rewards.add(rewardOf(row, referral, all, notified.get(row.id)), isoUtc(row.notBefore));
  }
  return rewards;
}

/** The programs, with the versions that these rewards were given under. */
async function withVersionsOf(
  database: Queryable,
  merchantId: string,
  programs: Program[],
  rows: Row[],
): Promise<Program[]> {
  const known = new Set(programs.map(({ version }) => version));
  const missing = [...new Set(rows.map(({ version }) => version))].filter((version) => !known.has(version));
  if (missing.length === 0) return programs;
  return [...programs, ...(await listProgramVersions(database, merchantId, missing))];
}

/** Whether the merchant was notified of rewards. Only used for revoked rewards. */
async function listNotified(
  database: Queryable,
  merchantId: string,
  rows: Row[],
): Promise<Map<string, Notified>> {
  const revoked = rows.filter(({ state }) => state === 'revoked').map(({ id }) => id);
  if (revoked.length === 0) return new Map();
  const notified = await run(database, notifiedSql, [merchantId, textArray(revoked)]);
  return new Map(notified.map((row) => [row.id, row]));
}

function rewardOf(
  row: Row,
  referral: ReferralState,
  programs: Program[],
  notified: Notified | undefined,
): EarlierReward {
  const program = programs.find(({ version }) => version === row.version);
  if (!program)
    throw new Error(`a reward was given under program version ${row.version}, which does not exist`);
  const { id, role, subject, orderId, memberId, type, unit, month, state, holdDays, holdEnqueued } = row;
  return {
    id,
    role,
    subject,
    orderId,
    memberId,
    referral,
    type,
    amount: Number(row.amount),
    unit,
    month,
    program,
    state,
    holdDays,
    confirmDueAt: isoUtc(row.confirmDueAt),
    holdEnqueued,
    issueNotified: notified?.issueNotified ?? false,
    revokeNotified: notified?.revokeNotified ?? false,
  };
}
