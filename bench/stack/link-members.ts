import type { Client } from 'pg';
import { memberOf } from '../load/make-orders.ts';
import type { OrdersPlan } from '../load/make-orders.ts';
import type { PlannedRequest } from '../load/post-plan.ts';

/** Links the member of every order of a plan to a referrer, one for ten members. Call it before the orders are sent. */
export async function linkMembers(sql: Client, merchantId: string, plan: OrdersPlan): Promise<void> {
  await linkMembersOf(sql, [merchantId], plan, [{ from: 0, to: plan.orders, merchant: 0 }]);
}

/** The same for the requests of several merchants. */
export async function linkMembersOf(
  sql: Client,
  merchantIds: string[],
  plan: OrdersPlan,
  requests: PlannedRequest[],
): Promise<void> {
  const links = new Map<string, { merchantId: string; referee: string; referrer: string }>();
  for (const { from, to, merchant } of requests)
    for (let index = from; index < to; index += 1) {
      const merchantId = merchantIds[merchant] ?? '';
      const referee = memberOf(plan, index);
      const referrer = `${plan.prefix}-referrer-${Math.floor(index / plan.ordersPerMember / 10)}`;
      links.set(`${merchantId} ${referee}`, { merchantId, referee, referrer });
    }
  const all = [...links.values()];
  const columns = [
    all.map(({ merchantId }) => merchantId),
    all.map(({ referee }) => referee),
    all.map(({ referrer }) => referrer),
  ];
  await sql.query(
    `INSERT INTO members (merchant_id, member_id, code, look_alike)
     SELECT merchant, member, upper(substr(md5(merchant || member), 1, 12)), sha256(convert_to(member, 'UTF8'))
     FROM unnest($1::text[] || $1, $2::text[] || $3::text[]) AS m (merchant, member) GROUP BY merchant, member
     ON CONFLICT DO NOTHING`,
    columns,
  );
  await sql.query(
    `INSERT INTO referrals (merchant_id, id, referee_member_id, referrer_member_id, code, source, orders_enqueued_at)
     SELECT merchant, 'ref_' || md5(merchant || referee), referee, referrer, upper(substr(md5(merchant || referrer), 1, 12)), 'link', now()
     FROM unnest($1::text[], $2::text[], $3::text[]) AS link (merchant, referee, referrer)`,
    columns,
  );
  await sql.query('ANALYZE members, referrals');
}
