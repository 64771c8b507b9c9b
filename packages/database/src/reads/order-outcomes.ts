import { deriveId } from '@rewardhook/contract';
import type { RewardRole, RewardState, RewardType } from '@rewardhook/contract';
import { transact } from '../client/client.ts';
import type { Queryable, Sql } from '../client/client.ts';
import { useSnapshot } from '../client/read-in-pages.ts';
import { textArray } from '../client/sql-arrays.ts';

/**
 * What became of the event of a reward. Of several webhooks, that of the one that needs attention most; of each webhook, a delivery
 * that arrived counts more than others.
 */
export type Sending =
  | 'failed'
  | 'webhook_disabled'
  | 'webhook_paused'
  | 'webhook_failing'
  | 'operator_paused'
  | 'stopped'
  | 'retrying'
  | 'sending'
  | 'delivered'
  | 'cancelled'
  /** No webhook was registered for it. */
  | 'no_webhook'
  /** It was withheld, because the revocation of an earlier reward did not arrive. */
  | 'withheld';

/** A reward in the outcome of an order. */
export interface OutcomeReward {
  id: string;
  member_id: string;
  role: RewardRole;
  type: RewardType;
  amount: number;
  unit: string;
  state: RewardState;
  /** Null when it has no event, or none that is still kept. */
  sending: Sending | null;
}

/** What became of an order. */
export interface OrderOutcome {
  /**
   * `no_referrer`: an order is evaluated only once its member has a referrer. `evaluating`: its newest state is not evaluated yet.
   * `stopped`: its evaluation failed repeatedly and waits for the operator.
   */
  state: 'no_referrer' | 'evaluating' | 'stopped' | 'decided';
  /** Live rewards, and the last one of a role that has none; at most {@link mostRewards}. */
  rewards: OutcomeReward[];
  /** How many more there are. */
  more_rewards: number;
  /** What the figures of referrals count for it, in won; null when they do not count it. */
  referred_revenue: number | null;
}

/** The most rewards of an outcome, and of an order that are read: people can give any number of them. */
const mostRewards = 4;
const mostRead = 100;
/** The most deliveries of an event that are read: the first ones, and those of replays under new ids. */
const mostDeliveries = 100;

interface RewardRow extends Omit<OutcomeReward, 'sending'> {
  withheld: boolean;
  issued: boolean;
  revoked: boolean;
}

interface OrderRow {
  orderId: string;
  linked: boolean;
  evaluated: boolean;
  parked: boolean;
  referredRevenue: number | null;
  rewards: RewardRow[];
}

/**
 * The orders with their rewards, live ones first, then the newest. A stored order of a member with a referrer is evaluated, and each
 * evaluation stores a decision: one without a decision about its newest version waits for it. Everything is found by keys.
 *
 *   $1  merchant id    $2  order ids
 */
const ordersSql = `
  SELECT o.order_id AS "orderId", EXISTS (
      SELECT 1 FROM referrals r WHERE r.merchant_id = $1 AND r.referee_member_id = o.member_id) AS linked,
    coalesce((
      SELECT d.member_id = o.member_id AND d.order_version >= o.version FROM decisions d
      WHERE d.merchant_id = $1 AND d.order_id = o.order_id ORDER BY d.number DESC LIMIT 1), false) AS evaluated,
    EXISTS (
      SELECT 1 FROM due_batches b
      WHERE b.merchant_id = $1 AND b.order_ids[1] = o.order_id AND b.parked_at IS NOT NULL) AS parked,
    (SELECT revenue::float8 FROM referred_orders f WHERE f.merchant_id = $1 AND f.order_id = o.order_id) AS "referredRevenue",
    coalesce(w.rewards, '[]') AS rewards
  FROM unnest($2::text[]) AS wanted (order_id)
  CROSS JOIN LATERAL (SELECT * FROM orders WHERE merchant_id = $1 AND order_id = wanted.order_id OFFSET 0) o
  CROSS JOIN LATERAL (
    SELECT json_agg(json_build_object('id', id, 'member_id', member_id, 'role', role, 'type', type, 'amount', amount, 'unit', unit,
      'state', state, 'withheld', blocked_by_open_revocation, 'issued', issued_to <> '{}', 'revoked', revoked_to <> '{}')
      ORDER BY state IN ('pending', 'confirmed') DESC, created_at DESC, role, id) AS rewards
    FROM (
      SELECT * FROM rewards WHERE merchant_id = $1 AND order_id = o.order_id
      ORDER BY state IN ('pending', 'confirmed') DESC, created_at DESC LIMIT ${mostRead}) found) w`;

/**
 * What became of each event at each webhook. A delivery that is left over in `pending` was not sent because of what the webhook says.
 *
 *   $1  merchant id    $2  event ids
 */
const deliveriesSql = `
  SELECT wanted.event_id AS "eventId", CASE
      WHEN d.delivered THEN 'delivered' WHEN d.exhausted AND NOT d.open THEN 'failed' WHEN NOT d.open THEN 'cancelled'
      WHEN p.disabled_at IS NOT NULL THEN 'webhook_disabled' WHEN p.paused_at IS NOT NULL THEN 'webhook_paused'
      WHEN p.operator_paused_at IS NOT NULL THEN 'operator_paused' WHEN p.parked_at IS NOT NULL THEN 'stopped'
      WHEN p.breaker_opened_at IS NOT NULL THEN 'webhook_failing' WHEN d.tried THEN 'retrying'
      ELSE 'sending' END AS sending
  FROM unnest($2::text[]) AS wanted (event_id)
  CROSS JOIN LATERAL (
    SELECT endpoint_id, bool_or(state = 'delivered') AS delivered, bool_or(state = 'exhausted') AS exhausted,
      bool_or(state IN ('pending', 'held')) AS open, bool_or(state = 'pending' AND attempts_made > 0) AS tried
    FROM (
      SELECT * FROM deliveries WHERE merchant_id = $1 AND event_id = wanted.event_id
      ORDER BY endpoint_id, replay_id LIMIT ${mostDeliveries}) found
    GROUP BY endpoint_id) d
  JOIN endpoints p ON p.merchant_id = $1 AND p.id = d.endpoint_id`;

/** From what needs attention most to what needs none. */
const bySeverity = [
  'failed',
  'webhook_disabled',
  'webhook_paused',
  'webhook_failing',
  'operator_paused',
  'stopped',
  'retrying',
  'sending',
  'delivered',
  'cancelled',
] as const satisfies Sending[];

/** A reward with its order, and what became of it. */
export interface NewestReward extends OutcomeReward {
  order_id: string;
  created_at: string;
}

/**
 *   $1  merchant id    $2  number
 */
const newestSql = `
  SELECT id, member_id, role, type, to_json(amount) AS amount, unit, state, order_id, rules.iso_utc(created_at) AS created_at,
    blocked_by_open_revocation AS withheld, issued_to <> '{}' AS issued, revoked_to <> '{}' AS revoked
  FROM rewards WHERE merchant_id = $1 ORDER BY rewards.created_at DESC, id DESC LIMIT $2`;

/** The newest rewards of a merchant, with what became of them, in one snapshot. */
export function listNewestRewards(database: Sql, merchantId: string, limit: number): Promise<NewestReward[]> {
  return transact(database, async (tx) => {
    await useSnapshot(tx);
    const rows = await tx.query<RewardRow & Pick<NewestReward, 'order_id' | 'created_at'>>(newestSql, [
      merchantId,
      limit,
    ]);
    const sendings = await findSendings(tx, merchantId, rows);
    return rows.map((row) => ({
      ...toOutcomeReward(row, sendings),
      order_id: row.order_id,
      created_at: row.created_at,
    }));
  });
}

/** What became of orders of a merchant, by their ids, in one snapshot. Unknown orders are left out. */
export function readOrderOutcomes(
  database: Sql,
  merchantId: string,
  orderIds: string[],
): Promise<Map<string, OrderOutcome>> {
  if (orderIds.length === 0) return Promise.resolve(new Map());
  return transact(database, async (tx) => {
    await useSnapshot(tx);
    return findOrderOutcomes(tx, merchantId, orderIds);
  });
}

/** The same without a snapshot of its own. */
export async function findOrderOutcomes(
  tx: Queryable,
  merchantId: string,
  orderIds: string[],
): Promise<Map<string, OrderOutcome>> {
  const rows = await tx.query<OrderRow & Record<string, unknown>>(ordersSql, [
    merchantId,
    textArray(orderIds),
  ]);
  const orders = rows.map((order) => {
    const rewards = lastOfEachRole(order.rewards);
    return { order, rewards: rewards.slice(0, mostRewards), more: rewards.slice(mostRewards).length };
  });
  const sendings = await findSendings(
    tx,
    merchantId,
    orders.flatMap(({ rewards }) => rewards),
  );
  return new Map(
    orders.map(({ order, rewards, more }) => [
      order.orderId,
      {
        state: stateOf(order),
        rewards: rewards.map((reward) => toOutcomeReward(reward, sendings)),
        more_rewards: more,
        referred_revenue: order.referredRevenue,
      },
    ]),
  );
}

function stateOf({ parked, linked, evaluated }: OrderRow): OrderOutcome['state'] {
  if (parked) return 'stopped';
  if (evaluated) return 'decided';
  return linked ? 'evaluating' : 'no_referrer';
}

const isLive = ({ state }: RewardRow): boolean => state === 'pending' || state === 'confirmed';

/** The live rewards, and the newest one of each role that has none; those of the referee first. */
function lastOfEachRole(rewards: RewardRow[]): RewardRow[] {
  return (['referee', 'referrer'] as const).flatMap((role) => {
    const ofRole = rewards.filter((reward) => reward.role === role);
    const live = ofRole.filter(isLive);
    return live.length > 0 ? live : ofRole.slice(0, 1);
  });
}

/** The id of the last event of a reward; undefined when it has none. */
function lastEventOf({ id, state }: RewardRow): string | undefined {
  if (state === 'confirmed') return deriveId('evt', id, 'reward.issue');
  return state === 'revoked' ? deriveId('evt', id, 'reward.revoke') : undefined;
}

/** What became of the last event of each reward, by the event, for each webhook. */
async function findSendings(
  tx: Queryable,
  merchantId: string,
  rewards: RewardRow[],
): Promise<Map<string, Sending[]>> {
  const events = rewards.flatMap((reward) => lastEventOf(reward) ?? []);
  const rows = await tx.query<{ eventId: string; sending: Sending }>(deliveriesSql, [
    merchantId,
    textArray(events),
  ]);
  const sendings = new Map<string, Sending[]>();
  for (const { eventId, sending } of rows) sendings.set(eventId, [...(sendings.get(eventId) ?? []), sending]);
  return sendings;
}

function toOutcomeReward(row: RewardRow, sendings: Map<string, Sending[]>): OutcomeReward {
  const { withheld, issued, revoked, ...reward } = row;
  const eventId = lastEventOf(row);
  const found = eventId === undefined ? [] : (sendings.get(eventId) ?? []);
  const worst = bySeverity.find((sending) => found.includes(sending));
  const wasSent = reward.state === 'revoked' ? revoked : issued;
  const unsent = wasSent ? null : withheld ? 'withheld' : 'no_webhook';
  return { ...reward, sending: worst ?? (eventId === undefined ? null : unsent) };
}
