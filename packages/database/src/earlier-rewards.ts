import type { EarlierReward, Program } from '@rewardhook/rewards';
import type { Sql } from './client.ts';
import type { LinkedOrder } from './order-facts.ts';

/** A row as it comes: 64-bit integers are text. */
type Row = Record<
  'id' | 'subject' | 'order_id' | 'member_id' | 'unit' | 'month' | 'amount' | 'referral_id',
  string
> &
  Record<'code' | 'referrer_member_id' | 'referee_member_id' | 'linked_at', string> &
  Pick<EarlierReward, 'role' | 'type' | 'state'> & {
    version: number;
    hold_over: boolean;
    issue_told: boolean;
    revoke_told: boolean;
  };

// $1 merchant, $2 order ids, $3 referral ids. What was told matters of revoked rewards only.
const rewardsSql = `
  SELECT w.id, w.role, w.subject, w.order_id, w.member_id, w.type, w.amount, w.unit, w.month, w.state,
    w.program_version AS version, coalesce(w.confirm_due_at <= now(), true) AS hold_over,
    w.state = 'revoked' AND rules.was_told($1, w.id, 'reward.issue') AS issue_told,
    w.state = 'revoked' AND rules.was_told($1, w.id, 'reward.revoke') AS revoke_told,
    f.id AS referral_id, f.code, f.referrer_member_id, f.referee_member_id, rules.iso_utc(f.linked_at) AS linked_at
  FROM (
    SELECT by_order.* FROM unnest($2::text[]) AS wanted (order_id) CROSS JOIN LATERAL (
      SELECT * FROM rewards WHERE merchant_id = $1 AND order_id = wanted.order_id OFFSET 0) by_order
    UNION
    SELECT by_referral.* FROM unnest($3::text[]) AS wanted (id) CROSS JOIN LATERAL (
      SELECT * FROM rewards WHERE merchant_id = $1 AND referral_id = wanted.id OFFSET 0) by_referral
    WHERE by_referral.subject = 'referral:' || wanted.id
  ) w
  CROSS JOIN LATERAL (SELECT * FROM referrals WHERE merchant_id = $1 AND id = w.referral_id OFFSET 0) f
  ORDER BY w.created_at, w.id`;

/** Finds the rewards of an order, and of its referral under the first-order rule. */
export interface EarlierRewards {
  of(orderId: string, referralId: string | undefined): EarlierReward[];
}

/** Reads the rewards that were given for these orders or for their referrals. */
export async function readEarlierRewards(
  sql: Sql,
  merchantId: string,
  orders: LinkedOrder[],
  programs: Program[],
): Promise<EarlierRewards> {
  const orderIds = orders.map(({ order }) => order.orderId);
  const referralIds = [...new Set(orders.flatMap(({ referral }) => referral?.id ?? []))];
  const rows = await sql.query<Row>(rewardsSql, [merchantId, orderIds, referralIds]);
  const byOrder = new Map<string, EarlierReward[]>();
  const byReferral = new Map<string, EarlierReward[]>();
  const add = (index: Map<string, EarlierReward[]>, key: string, reward: EarlierReward) => {
    const known = index.get(key);
    if (known) known.push(reward);
    else index.set(key, [reward]);
  };
  for (const row of rows) {
    const reward = rewardOf(row, programs);
    add(byOrder, reward.orderId, reward);
    if (reward.subject === `referral:${reward.referral.id}`) add(byReferral, reward.referral.id, reward);
  }
  return {
    of(orderId, referralId) {
      const own = byOrder.get(orderId) ?? [];
      const others = byReferral.get(referralId ?? '')?.filter((reward) => reward.orderId !== orderId) ?? [];
      return [...own, ...others];
    },
  };
}

function rewardOf(row: Row, programs: Program[]): EarlierReward {
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
    issueTold: row.issue_told,
    revokeTold: row.revoke_told,
    referral: {
      id: row.referral_id,
      code: row.code,
      referrerMemberId: row.referrer_member_id,
      refereeMemberId: row.referee_member_id,
      linkedAt: row.linked_at,
    },
  };
}
