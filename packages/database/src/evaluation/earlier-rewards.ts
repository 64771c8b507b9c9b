import { isLive } from '@rewardhook/rewards';
import type { EarlierReward, Program, ReferralState } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { after, isoUtc, laterOf, rawUtc } from '../client/timestamps.ts';
import { readReferralsById } from './referral-facts.ts';
import { textArray } from '../client/sql-arrays.ts';

/** A row as it comes: 64-bit integers are text. */
type Row = Record<
  'id' | 'subject' | 'order_id' | 'member_id' | 'unit' | 'month' | 'amount' | 'referral_id' | 'not_before',
  string
> &
  Pick<EarlierReward, 'role' | 'type' | 'state'> & { version: number; hold_over: boolean };

/** What was told of a reward. */
interface Told {
  id: string;
  issue_told: boolean;
  revoke_told: boolean;
}

// $1 merchant, $2 order ids, $3 referral ids; OFFSET 0 and (SELECT $1) as in order-facts.ts. A reward can come by both
// ways.
const rewardsSql = `
  SELECT w.id, w.role, w.subject, w.order_id, w.member_id, w.type, w.amount, w.unit, w.month, w.state, w.referral_id,
    w.program_version AS version, coalesce(w.confirm_due_at <= now(), true) AS hold_over,
    ${rawUtc(after('greatest(w.created_at, w.confirmed_at, w.ended_at)'))} AS not_before
  FROM (
    SELECT by_order.* FROM unnest($2::text[]) AS wanted (order_id) CROSS JOIN LATERAL (
      SELECT * FROM rewards WHERE merchant_id = (SELECT $1::text) AND order_id = wanted.order_id OFFSET 0) by_order
    UNION ALL
    SELECT by_referral.* FROM unnest($3::text[]) AS wanted (id) CROSS JOIN LATERAL (
      SELECT * FROM rewards WHERE merchant_id = (SELECT $1::text) AND referral_id = wanted.id OFFSET 0) by_referral
    WHERE by_referral.subject = 'referral:' || wanted.id
  ) w
  ORDER BY w.created_at, w.id`;

const toldSql = `
  SELECT w.id, rules.was_told((SELECT $1::text), w.id, 'reward.issue') AS issue_told,
    rules.was_told((SELECT $1::text), w.id, 'reward.revoke') AS revoke_told
  FROM unnest($2::text[]) AS w (id)`;

/** Finds rewards that were given before, oldest first. */
export class EarlierRewards {
  readonly #byId = new Map<string, EarlierReward>();
  readonly #byOrder = new Map<string, EarlierReward[]>();
  readonly #byReferral = new Map<string, EarlierReward[]>();
  readonly #notBefore = new Map<string, string>();

  /** Adds one, with the earliest time for what follows it, unless it is known already. */
  add(reward: EarlierReward, notBefore: string): void {
    if (this.#byId.has(reward.id)) return;
    this.#byId.set(reward.id, reward);
    this.#notBefore.set(reward.id, notBefore);
    append(this.#byOrder, reward.orderId, reward);
    if (reward.subject === `referral:${reward.referral.id}`)
      append(this.#byReferral, reward.referral.id, reward);
  }

  /** Those of an order, then those of its referral under the first-order rule. */
  of(orderId: string, referralId: string | undefined): EarlierReward[] {
    const own = this.#byOrder.get(orderId) ?? none;
    const ofReferral = (referralId !== undefined && this.#byReferral.get(referralId)) || none;
    if (ofReferral.length === 0) return own;
    return [...own, ...ofReferral.filter((reward) => reward.orderId !== orderId)];
  }

  /** The earliest time for what follows these rewards; null when there are none. */
  notBefore(rewards: EarlierReward[]): string | null {
    let latest: string | null = null;
    for (const { id } of rewards) {
      const notBefore = this.#notBefore.get(id);
      if (notBefore !== undefined) latest = laterOf(notBefore, latest);
    }
    return latest;
  }

  /** Orders that have the one reward of a referral under the first-order rule; more than one when they share it. */
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

/** Reads the rewards that were given for these orders or for these referrals, into `rewards` where given. */
export async function readEarlierRewards(
  sql: Queryable,
  merchantId: string,
  orderIds: string[],
  referrals: ReferralState[],
  programs: Program[],
  rewards = new EarlierRewards(),
): Promise<EarlierRewards> {
  const known = new Map(referrals.map((referral) => [referral.id, referral]));
  const rows = await sql.query<Row>(rewardsSql, [
    merchantId,
    textArray(orderIds),
    textArray([...known.keys()]),
  ]);
  // An order that moved to another member still has the rewards of its former one's referral.
  const others = [...new Set(rows.map((row) => row.referral_id))].filter((id) => !known.has(id));
  if (others.length > 0)
    for (const [id, referral] of await readReferralsById(sql, merchantId, others)) known.set(id, referral);
  const told = await readTold(sql, merchantId, rows);
  for (const row of rows) {
    const referral = known.get(row.referral_id);
    if (referral) rewards.add(rewardOf(row, referral, programs, told.get(row.id)), isoUtc(row.not_before));
  }
  return rewards;
}

/** What was told matters of revoked rewards only. */
async function readTold(sql: Queryable, merchantId: string, rows: Row[]): Promise<Map<string, Told>> {
  const revoked = rows.filter(({ state }) => state === 'revoked').map(({ id }) => id);
  if (revoked.length === 0) return new Map();
  const told = await sql.query<Told>(toldSql, [merchantId, textArray(revoked)]);
  return new Map(told.map((row) => [row.id, row]));
}

function rewardOf(
  row: Row,
  referral: ReferralState,
  programs: Program[],
  told: Told | undefined,
): EarlierReward {
  const program = programs.find(({ version }) => version === row.version);
  if (!program)
    throw new Error(`a reward was given under program version ${row.version}, which does not exist`);
  const { id, role, subject, type, unit, month, state } = row;
  return {
    id,
    role,
    subject,
    type,
    unit,
    month,
    state,
    program,
    orderId: row.order_id,
    memberId: row.member_id,
    amount: Number(row.amount),
    holdOver: row.hold_over,
    issueNotified: told?.issue_told ?? false,
    revokeNotified: told?.revoke_told ?? false,
    referral,
  };
}
