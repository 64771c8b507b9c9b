import { followsRules, isAdjustable, isLive, isOfReferral, laterOf } from '@rewardhook/rewards';
import type { EarlierReward, LinkState, Program, ReferralState, StoredReferral } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { textArray } from '../client/sql-arrays.ts';
import { run, statement } from '../client/statement.ts';
import { isoUtc } from '../client/timestamps.ts';
import { listProgramVersions } from './program-versions.ts';
import { formerKey, listFormerLinks } from './former-links.ts';
import type { FormerLinks } from './former-links.ts';
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
  | 'expiresAt'
  | 'rule'
  | 'holdEnqueued'
  | 'correction'
  | 'issuedMemberId'
> & {
  amount: string;
  referralId: string;
  linkSource: LinkState['source'];
  linkNumber: number;
  version: number;
  notBefore: string;
};

interface NotifiedEndpoint {
  rewardId: string;
  endpointId: string;
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
    linkSource: 'text',
    linkNumber: 'integer',
    version: 'integer',
    rule: 'text',
    expiresAt: 'text',
    holdDays: 'double precision',
    confirmDueAt: 'text',
    holdEnqueued: 'boolean',
    correction: 'text',
    issuedMemberId: 'text',
    notBefore: 'text',
  },
  text: `
    SELECT w.id, w.role, w.subject, w.order_id AS "orderId", w.member_id AS "memberId", w.type, w.amount, w.unit, w.month,
      w.state, w.referral_id AS "referralId", w.link_source AS "linkSource", w.link_number AS "linkNumber", w.program_version AS version,
      w.rule, to_json(w.expires_at AT TIME ZONE 'UTC')::text AS "expiresAt",
      w.hold_days AS "holdDays", to_json(w.confirm_due_at AT TIME ZONE 'UTC')::text AS "confirmDueAt",
      w.hold_enqueued AS "holdEnqueued", w.correction, w.issued_member_id AS "issuedMemberId",
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
    ORDER BY w.created_at, w.id COLLATE "C"`,
});

const notifiedEndpointsSql = statement<NotifiedEndpoint, [merchantId: string, rewardIds: string]>({
  name: 'list the notified endpoints of rewards',
  parameters: ['text', 'text[]'],
  columns: { rewardId: 'text', endpointId: 'text' },
  text: `
    SELECT w.id AS "rewardId", p.id AS "endpointId"
    FROM unnest($2::text[]) AS wanted (id)
    CROSS JOIN LATERAL (
      SELECT * FROM rewards
      WHERE merchant_id = (SELECT $1::text) AND id >= wanted.id AND id <= wanted.id
      ORDER BY id OFFSET 0) w
    CROSS JOIN LATERAL unnest(w.issued_to) AS issued (endpoint_id)
    JOIN endpoints p ON p.merchant_id = (SELECT $1::text) AND p.id = issued.endpoint_id
    WHERE p.deleted_at IS NULL
      AND CASE w.state WHEN 'confirmed' THEN NOT 'reward.revoke' = ANY(p.event_types) ELSE NOT p.id = ANY(w.revoked_to) END
    ORDER BY p.id COLLATE "C"`,
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

  /**
   * The rewards of an order, then the other rewards under the first-order rule of its referral, and of those that ended when its
   * referee was merged with others.
   */
  of(orderId: string, referral: ReferralState | null): EarlierReward[] {
    const own = this.#byOrder.get(orderId) ?? none;
    let ofReferral = (referral && this.#byReferral.get(referral.id)) || none;
    for (const id of referral?.mergedIds ?? none)
      ofReferral = [...ofReferral, ...(this.#byReferral.get(id) ?? none)];
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

  /** All rewards, in no order. */
  get all(): EarlierReward[] {
    return [...this.#byId.values()];
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

const none: never[] = [];

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
  referrals: StoredReferral[],
  programs: Program[],
  rewards = new EarlierRewards(),
): Promise<EarlierRewards> {
  const known = new Map(referrals.map((referral) => [referral.id, referral]));
  const rows = await run(database, rewardsSql, [
    merchantId,
    textArray(orderIds),
    textArray(referrals.flatMap(({ id, mergedIds }) => [id, ...mergedIds])),
  ]);
  // An order that moved to another member still has rewards of its former member's referral.
  const others = [...new Set(rows.map((row) => row.referralId))].filter((id) => !known.has(id));
  if (others.length > 0)
    for (const [id, referral] of await listReferralStatesById(database, merchantId, others))
      known.set(id, referral);
  const former = await listFormerLinks(
    database,
    merchantId,
    rows.filter(({ referralId, linkNumber }) => linkNumber !== known.get(referralId)?.moves),
  );
  const all = await withVersionsOf(database, merchantId, programs, rows);
  const own = new Set(orderIds);
  const read = rows.flatMap((row) => {
    const referral = known.get(row.referralId);
    return referral
      ? [{ reward: rewardOf(row, linkOf(row, referral, former), all), notBefore: isoUtc(row.notBefore) }]
      : [];
  });
  const replaceable = read.filter(
    ({ reward }) => reward.state === 'revoked' || (own.has(reward.orderId) && isReplaceable(reward)),
  );
  const endpoints = await listNotifiedEndpoints(
    database,
    merchantId,
    replaceable.map(({ reward }) => reward.id),
  );
  for (const { reward, notBefore } of read)
    rewards.add({ ...reward, notifiedEndpoints: endpoints.get(reward.id) ?? none }, notBefore);
  return rewards;
}

/** Whether the evaluation of its order can revoke a confirmed reward and give another one in its place, for another amount or by another rule. */
function isReplaceable(reward: Omit<EarlierReward, 'notifiedEndpoints'>): boolean {
  return (
    isAdjustable(reward) || (reward.state === 'confirmed' && reward.rule !== null && followsRules(reward))
  );
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

/**
 * Lists the notified endpoints of revoked and confirmed rewards: the endpoints, apart from deleted ones, that were notified of a reward and
 * not of its revocation, or would not be if it were revoked now.
 */
export async function listNotifiedEndpoints(
  database: Queryable,
  merchantId: string,
  rewardIds: string[],
): Promise<Map<string, string[]>> {
  const endpoints = new Map<string, string[]>();
  if (rewardIds.length === 0) return endpoints;
  for (const { rewardId, endpointId } of await run(database, notifiedEndpointsSql, [
    merchantId,
    textArray(rewardIds),
  ]))
    endpoints.set(rewardId, [...(endpoints.get(rewardId) ?? []), endpointId]);
  return endpoints;
}

/**
 * The link under which a reward was given: the one in force, the one that waits, or one of the two from before a move. Of a referral
 * whose waiting link is gone: the one in force.
 */
function linkOf(
  { referralId, linkSource, linkNumber }: Row,
  { other, hadOrderBefore: _stored, ...inForce }: StoredReferral,
  former: FormerLinks,
): ReferralState {
  const before = linkNumber === inForce.moves ? undefined : former.get(formerKey(referralId, linkNumber));
  const links = before ?? [inForce, ...(other ? [other] : [])];
  const link = links.find(({ source }) => source === linkSource) ?? links[0];
  const fromOrderId = before ? null : inForce.fromOrderId;
  return { ...inForce, ...link, fromOrderId, moves: linkNumber, olderOrder: null };
}

function rewardOf(
  row: Row,
  referral: ReferralState,
  programs: Program[],
): Omit<EarlierReward, 'notifiedEndpoints'> {
  const program = programs.find(({ version }) => version === row.version);
  if (!program)
    throw new Error(`a reward was given under program version ${row.version}, which does not exist`);
  const {
    id,
    role,
    subject,
    orderId,
    memberId,
    type,
    unit,
    month,
    state,
    rule,
    holdDays,
    holdEnqueued,
    correction,
    issuedMemberId,
  } = row;
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
    rule,
    state,
    holdDays,
    confirmDueAt: isoUtc(row.confirmDueAt),
    expiresAt: isoUtc(row.expiresAt),
    holdEnqueued,
    correction,
    issuedMemberId,
  };
}
