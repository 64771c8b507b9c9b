import type { EarlierReward, JudgementInput, OrderFacts, Program, ReferralFacts } from '@rewardhook/rewards';
import type { Queryable } from './client.ts';

/** An order that waits to be judged, with all that the rules look at. */
export type DueOrder = JudgementInput;

interface Row {
  order: OrderFacts;
  referral: ReferralFacts | null;
  earlierPaidOrder: string | null;
  rewards: EarlierReward[];
}

/**
 * Makes judgements of one referee wait for each other. The locks are taken in one order, and whoever comes
 * second reads what the first has written.
 */
export async function lockReferrals(tx: Queryable, merchantId: string, orderIds: string[]): Promise<void> {
  await tx.$executeRaw`
    SELECT 1 FROM referrals
    WHERE merchant_id = ${merchantId} AND referee_member_id IN (
      SELECT member_id FROM orders WHERE merchant_id = ${merchantId} AND order_id = ANY(${orderIds}))
    ORDER BY id FOR UPDATE`;
}

/** The merchant's program in its newest version. */
export async function readProgram(tx: Queryable, merchantId: string): Promise<Program | undefined> {
  const [program] = await tx.$queryRaw<Program[]>`
    SELECT program_id AS id, version, rule FROM program_versions
    WHERE merchant_id = ${merchantId} ORDER BY version DESC LIMIT 1`;
  return program;
}

/**
 * Reads those of the orders that still wait to be judged, oldest order first. Date-times come as ISO 8601 in
 * UTC with microseconds, as they go into event bodies.
 */
export async function readDueOrders(
  tx: Queryable,
  merchantId: string,
  orderIds: string[],
  program: Program,
): Promise<DueOrder[]> {
  const rows = await tx.$queryRaw<Row[]>`
    SELECT
      jsonb_build_object('orderId', o.order_id, 'version', o.version, 'memberId', o.member_id,
        'orderAmount', o.order_amount, 'paidAmount', o.paid_amount, 'shippingAmount', o.shipping_amount,
        'orderDate', rules.iso_utc(o.order_date), 'firstOrder', o.first_order, 'paidAt', rules.iso_utc(o.paid_at),
        'cancelledAt', rules.iso_utc(o.cancelled_at), 'returnedAt', rules.iso_utc(o.returned_at)) AS "order",
      CASE WHEN r.id IS NOT NULL THEN rules.referral_facts(r) END AS referral,
      (SELECT p.order_id FROM orders p
        WHERE p.merchant_id = o.merchant_id AND p.member_id = o.member_id AND p.paid_at IS NOT NULL
          AND p.cancelled_at IS NULL AND p.returned_at IS NULL
          AND (p.order_date, p.order_id) < (o.order_date, o.order_id)
        ORDER BY p.order_date, p.order_id LIMIT 1) AS "earlierPaidOrder",
      coalesce((SELECT jsonb_agg(jsonb_build_object('id', w.id, 'role', w.role, 'subject', w.subject,
          'orderId', w.order_id, 'memberId', w.member_id, 'referral', rules.referral_facts(f), 'type', w.type,
          'amount', w.amount, 'unit', w.unit, 'programId', w.program_id, 'programVersion', w.program_version,
          'state', w.state, 'issueTold', rules.was_told(w.merchant_id, w.id, 'reward.issue'),
          'revokeTold', rules.was_told(w.merchant_id, w.id, 'reward.revoke')))
        FROM rewards w JOIN referrals f ON f.merchant_id = w.merchant_id AND f.id = w.referral_id
        WHERE w.merchant_id = o.merchant_id
          AND (w.order_id = o.order_id OR (w.referral_id = r.id AND w.subject = 'referral:' || r.id))), '[]') AS rewards
    FROM due_judgements due
    JOIN orders o ON o.merchant_id = due.merchant_id AND o.order_id = due.order_id
    LEFT JOIN referrals r ON r.merchant_id = o.merchant_id AND r.referee_member_id = o.member_id
    WHERE due.merchant_id = ${merchantId} AND due.order_id = ANY(${orderIds})
    ORDER BY o.order_date, o.order_id`;
  return rows.map((row) => ({ ...row, program }));
}
