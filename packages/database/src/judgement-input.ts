import type { EarlierReward, OrderFacts, Program, ReferralFacts } from '@rewardhook/rewards';
import type { Sql } from './client.ts';
import { readEarlierRewards } from './earlier-rewards.ts';
import { readOrderFacts } from './order-facts.ts';

/** An order with what is known of its member, as far as the rules look at it. */
export interface DueOrder {
  order: OrderFacts;
  referral: ReferralFacts | null;
  earlierPaidOrder: string | null;
  rewards: EarlierReward[];
}

/** All versions of a merchant's program; the last one is in force. */
export type Programs = Program[];

/** Reads what the rules look at for these orders, oldest first; `due` leaves out those that do not wait to be judged. */
export async function readFacts(
  sql: Sql,
  merchantId: string,
  orderIds: string[],
  programs: Programs,
  { due }: { due: boolean },
): Promise<DueOrder[]> {
  const orders = await readOrderFacts(sql, merchantId, orderIds, due);
  const rewards = await readEarlierRewards(sql, merchantId, orders, programs);
  return orders.map((facts) => ({ ...facts, rewards: rewards.of(facts.order.orderId, facts.referral?.id) }));
}

/** All versions of the merchant's program, the one in force last. */
export async function readPrograms(sql: Sql, merchantId: string): Promise<[...Program[], Program]> {
  const programs = await sql.query<Program>(
    'SELECT program_id AS id, version, rule FROM program_versions WHERE merchant_id = $1 ORDER BY version',
    [merchantId],
  );
  const current = programs.pop();
  if (!current) throw new Error(`merchant ${merchantId} has no program`);
  return [...programs, current];
}

/**
 * Under the first-order rule an order can decide over others of its member, so those are judged along: the one that
 * has the reward, when a paid order with an earlier date came to light; and the earliest paid ones, when nobody has the
 * reward. When a reward falls away, all orders of its member are looked at again anyway. Returns the ids.
 */
export async function addSiblings(sql: Sql, merchantId: string, orderIds: string[]): Promise<string[]> {
  const rows = await sql.query<{ order_id: string }>(
    `WITH concerned AS (
       SELECT r.id, o.member_id, min(o.order_date) FILTER (
         WHERE o.paid_at IS NOT NULL AND o.cancelled_at IS NULL AND o.returned_at IS NULL) AS first_paid
       FROM unnest($2::text[]) AS wanted (order_id)
       CROSS JOIN LATERAL (SELECT * FROM orders WHERE merchant_id = $1 AND order_id = wanted.order_id OFFSET 0) o
       CROSS JOIN LATERAL (
         SELECT id FROM referrals WHERE merchant_id = $1 AND referee_member_id = o.member_id OFFSET 0) r
       GROUP BY r.id, o.member_id
     ), rewarded AS (
       SELECT DISTINCT c.id, w.order_id, c.first_paid FROM concerned c CROSS JOIN LATERAL (
         SELECT * FROM rewards WHERE merchant_id = $1 AND referral_id = c.id OFFSET 0) w
       WHERE w.subject = 'referral:' || c.id AND w.state IN ('pending', 'confirmed')
     ), siblings AS (
       SELECT rewarded.order_id FROM rewarded CROSS JOIN LATERAL (
         SELECT order_date FROM orders WHERE merchant_id = $1 AND order_id = rewarded.order_id OFFSET 0) o
       WHERE rewarded.first_paid < o.order_date
       UNION
       SELECT earliest.order_id FROM concerned c CROSS JOIN LATERAL (
         SELECT order_id, rank() OVER (ORDER BY order_date) AS place FROM orders
         WHERE merchant_id = $1 AND member_id = c.member_id AND paid_at IS NOT NULL
           AND cancelled_at IS NULL AND returned_at IS NULL) earliest
       WHERE earliest.place = 1 AND NOT EXISTS (SELECT 1 FROM rewarded WHERE rewarded.id = c.id)
     )
     INSERT INTO due_judgements AS due (merchant_id, order_id, member_id, version)
     SELECT o.* FROM siblings s CROSS JOIN LATERAL (
       SELECT merchant_id, order_id, member_id, version FROM orders
       WHERE merchant_id = $1 AND order_id = s.order_id OFFSET 0) o
     WHERE NOT (o.order_id = ANY($2))
     ORDER BY o.order_id
     ON CONFLICT (merchant_id, order_id) DO UPDATE SET version = greatest(due.version, excluded.version)
     RETURNING order_id`,
    [merchantId, orderIds],
  );
  return rows.map(({ order_id }) => order_id);
}

/** Members that these orders were judged for last, where that is not whose they are now: theirs are to be reviewed. */
export async function readFormerMembers(sql: Sql, merchantId: string, orderIds: string[]): Promise<string[]> {
  const rows = await sql.query<{ member_id: string }>(
    `SELECT DISTINCT last.member_id
     FROM unnest($2::text[]) AS wanted (order_id)
     CROSS JOIN LATERAL (
       SELECT member_id FROM orders WHERE merchant_id = $1 AND order_id = wanted.order_id OFFSET 0) o
     CROSS JOIN LATERAL (
       SELECT member_id FROM decisions WHERE merchant_id = $1 AND order_id = wanted.order_id
       ORDER BY created_at DESC LIMIT 1) last
     WHERE last.member_id <> o.member_id`,
    [merchantId, orderIds],
  );
  return rows.map(({ member_id }) => member_id);
}
