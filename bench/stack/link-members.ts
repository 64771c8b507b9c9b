import type { Client } from 'pg';
import { memberOf } from '../load/make-orders.ts';
import type { OrdersPlan } from '../load/make-orders.ts';

/** Links the member of every order of a plan to a referrer, one for ten members. Call it before the orders are sent. */
export async function linkMembers(sql: Client, merchantId: string, plan: OrdersPlan): Promise<void> {
  const count = Math.ceil(plan.orders / plan.ordersPerMember);
  const referees = Array.from({ length: count }, (_, index) => memberOf(plan, index * plan.ordersPerMember));
  const referrers = referees.map((_, index) => `${plan.prefix}-referrer-${Math.floor(index / 10)}`);
  await sql.query(
    `INSERT INTO members (merchant_id, member_id, code)
     SELECT $1, member, upper(substr(md5(member), 1, 12)) FROM unnest($2::text[]) member ON CONFLICT DO NOTHING`,
    [merchantId, [...new Set([...referees, ...referrers])]],
  );
  await sql.query(
    `INSERT INTO referrals (merchant_id, id, referee_member_id, referrer_member_id, code, source, orders_enqueued_at)
     SELECT $1, 'ref_' || md5($1 || referee), referee, referrer, upper(substr(md5(referrer), 1, 12)), 'link', now()
     FROM unnest($2::text[], $3::text[]) AS link (referee, referrer)`,
    [merchantId, referees, referrers],
  );
  await sql.query('ANALYZE members, referrals');
}
