import type { EarlierReward, OrderFacts, ReferralFacts } from '@rewardhook/rewards';
import type { Queryable } from './client.ts';

/** An order that waits to be judged, with what is known of its member. */
export interface DueOrder {
  order: OrderFacts;
  referral: ReferralFacts | null;
  earlierPaidOrder: string | null;
  rewards: EarlierReward[];
}

/** Rewards of an order or of a referral, each with the rule it was given under. */
const rewardFacts = `
  jsonb_build_object('id', w.id, 'role', w.role, 'subject', w.subject, 'orderId', w.order_id, 'memberId', w.member_id,
    'referral', rules.referral_facts(f), 'type', w.type, 'amount', w.amount, 'unit', w.unit, 'month', w.month,
    'program', jsonb_build_object('id', w.program_id, 'version', w.program_version, 'rule', v.rule), 'state', w.state,
    'holdOver', coalesce(w.confirm_due_at <= now(), true),
    'issueTold', w.state = 'revoked' AND rules.was_told(w.merchant_id, w.id, 'reward.issue'),
    'revokeTold', w.state = 'revoked' AND rules.was_told(w.merchant_id, w.id, 'reward.revoke'))`;

/** An order as the rules look at it. Date-times are ISO 8601 in UTC with microseconds, as in event bodies. */
const orderFacts = `
  jsonb_build_object('orderId', o.order_id, 'version', o.version, 'memberId', o.member_id,
    'orderAmount', o.order_amount, 'paidAmount', o.paid_amount, 'shippingAmount', o.shipping_amount,
    'orderDate', rules.iso_utc(o.order_date), 'firstOrder', o.first_order, 'paidAt', rules.iso_utc(o.paid_at),
    'cancelledAt', rules.iso_utc(o.cancelled_at), 'returnedAt', rules.iso_utc(o.returned_at),
    'month', to_char(o.paid_at AT TIME ZONE m.timezone, 'YYYY-MM'),
    'items', (SELECT jsonb_build_object('count', count(*),
        'cancelled', count(*) FILTER (WHERE i ->> 'cancelled_at' IS NOT NULL),
        'paidForRest', coalesce(sum((i ->> 'paid_amount')::numeric) FILTER (WHERE i ->> 'cancelled_at' IS NULL), 0))
      FROM jsonb_array_elements(o.items) AS i))`;

/**
 * What the rules look at, for the orders that `source` gives as `o`. An earlier order is one with an earlier date
 * that is paid and neither cancelled nor returned.
 */
export const judgementFacts = (source: string) => `
  SELECT ${orderFacts} AS "order",
    CASE WHEN r.id IS NOT NULL THEN rules.referral_facts(r) END AS referral,
    (SELECT p.order_id FROM orders p
      WHERE p.merchant_id = o.merchant_id AND p.member_id = o.member_id AND p.paid_at IS NOT NULL
        AND p.cancelled_at IS NULL AND p.returned_at IS NULL AND p.order_date < o.order_date
      ORDER BY p.order_date, p.order_id LIMIT 1) AS "earlierPaidOrder",
    coalesce((SELECT jsonb_agg(${rewardFacts} ORDER BY w.created_at)
      FROM (
        SELECT * FROM rewards WHERE merchant_id = o.merchant_id AND order_id = o.order_id
        UNION
        SELECT * FROM rewards
        WHERE merchant_id = o.merchant_id AND referral_id = r.id AND subject = 'referral:' || r.id) w
      JOIN referrals f ON f.merchant_id = w.merchant_id AND f.id = w.referral_id
      JOIN program_versions v ON v.merchant_id = w.merchant_id AND v.version = w.program_version), '[]') AS rewards
  FROM ${source}
  JOIN merchants m ON m.id = o.merchant_id
  LEFT JOIN referrals r ON r.merchant_id = o.merchant_id AND r.referee_member_id = o.member_id
  ORDER BY o.order_date, o.order_id`;

/** Reads those of the orders that still wait to be judged, oldest order first. */
export function readDueOrders(tx: Queryable, merchantId: string, orderIds: string[]): Promise<DueOrder[]> {
  const waiting = `(SELECT o.* FROM due_judgements due
    JOIN orders o ON o.merchant_id = due.merchant_id AND o.order_id = due.order_id
    WHERE due.merchant_id = $1 AND due.order_id = ANY($2)) AS o`;
  return tx.$queryRawUnsafe<DueOrder[]>(judgementFacts(waiting), merchantId, orderIds);
}

/**
 * Under the first-order rule an order can decide over another one of its member: an order that comes late may be
 * the first, and one that is cancelled may leave that to the next. So the member's earliest paid order and the one
 * that has the reward are judged along. Returns their ids.
 */
export async function addSiblings(tx: Queryable, merchantId: string, orderIds: string[]): Promise<string[]> {
  const rows = await tx.$queryRaw<{ order_id: string }[]>`
    WITH concerned AS (
      SELECT DISTINCT r.id, r.referee_member_id AS member_id
      FROM orders o JOIN referrals r ON r.merchant_id = o.merchant_id AND r.referee_member_id = o.member_id
      WHERE o.merchant_id = ${merchantId} AND o.order_id = ANY(${orderIds})
    ), siblings AS (
      SELECT first.order_id FROM concerned c CROSS JOIN LATERAL (
        SELECT order_id FROM orders
        WHERE merchant_id = ${merchantId} AND member_id = c.member_id AND paid_at IS NOT NULL
          AND cancelled_at IS NULL AND returned_at IS NULL
        ORDER BY order_date, order_id LIMIT 1) first
      UNION
      SELECT w.order_id FROM concerned c
      JOIN rewards w ON w.merchant_id = ${merchantId} AND w.referral_id = c.id AND w.subject = 'referral:' || c.id
      WHERE w.state IN ('pending', 'confirmed')
    )
    INSERT INTO due_judgements (merchant_id, order_id, member_id, version)
    SELECT o.merchant_id, o.order_id, o.member_id, o.version
    FROM siblings s JOIN orders o ON o.merchant_id = ${merchantId} AND o.order_id = s.order_id
    WHERE NOT (o.order_id = ANY(${orderIds}))
    ORDER BY o.order_id
    ON CONFLICT (merchant_id, order_id) DO UPDATE SET version = greatest(due_judgements.version, excluded.version)
    RETURNING order_id`;
  return rows.map(({ order_id }) => order_id);
}
