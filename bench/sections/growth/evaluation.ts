import { evaluateBatches, sweepDueBatches, upsertOrders } from '@rewardhook/database';
import type { DueBatch, OrderBatch } from '@rewardhook/database';
import { decide } from '../../../apps/reward-evaluation/src/decide.ts';
import { heavyMember, largeMerchant } from '../../large-database/fill-statements.ts';
import { makeOrders } from '../../load/make-orders.ts';
import type { Figure } from '../../report/figure.ts';
import { profile } from '../../report/profile.ts';
import { comparedFigure, compareSites } from './processor-time.ts';
import { hashOf, merchantOf, run } from './site.ts';
import type { Site } from './site.ts';

const section = 'Growth: processor time of PostgreSQL for 10,000 orders evaluated';

let lastOrder = 0;

/** Stores orders, one for each of these members in turn, and returns the batches that are due. */
async function storeDue(
  site: Site,
  merchantId: string,
  members: string[],
  count: number,
): Promise<DueBatch[]> {
  const orders = makeOrders({ prefix: 'E', orders: count, ordersPerMember: 1 }, 0, count);
  for (const [index, order] of orders.entries()) {
    lastOrder += 1;
    order.order_id = `evaluated-${run}-${String(lastOrder).padStart(12, '0')}`;
    order.member_id = members[index % members.length] as string;
    order.order_date = new Date().toISOString();
    order.paid_at = order.order_date;
  }
  const batch: OrderBatch = {
    merchantId,
    version: Date.now() * 1_000,
    json: Buffer.from(JSON.stringify(orders)),
  };
  return upsertOrders(site.database, [batch]);
}

/** Evaluates all orders that are due, as the workers would have done meanwhile: an erasure is refused while they are due. */
export async function evaluateDue({ database, sql }: Site): Promise<void> {
  // The rewards were inserted without it, and an evaluation that withdraws one subtracts from it.
  await sql.query(
    `UPDATE programs p SET spent = (
       SELECT coalesce(sum(amount), 0) FROM rewards w
       WHERE w.merchant_id = p.merchant_id AND w.state IN ('pending', 'confirmed'))`,
  );
  for (;;) {
    const due = await sweepDueBatches(database, 0, 1_000);
    if (due.length === 0) return;
    for (const { merchantId, batchId } of due) await evaluateBatches(database, merchantId, [batchId], decide);
  }
}

/** Compares evaluating orders on empty and on full tables: the first orders of members, and those of members with 1,000 orders. */
export async function measureEvaluation(
  pid: number,
  sites: { full: Site; empty: Site },
  { rounds, count }: { rounds: number; count: number },
): Promise<Figure[]> {
  const due = new Map<Site, DueBatch[]>();
  const compare = (members: (site: Site, round: number) => Promise<string[]>) =>
    compareSites(pid, sites, rounds, {
      count,
      async prepare(site, round) {
        const chosen = await members(site, round);
        due.set(site, await storeDue(site, merchantOf(site, largeMerchant), chosen, count));
        if (site.name === 'empty')
          await site.sql.query(
            'VACUUM ANALYZE orders, referrals, members, decisions, rewards, events, deliveries',
          );
      },
      async run(site) {
        for (const { merchantId, batchId } of due.get(site) as DueBatch[])
          await evaluateBatches(site.database, merchantId, [batchId], decide);
      },
    });
  const fresh = await compare(async (site, round) => {
    if (site.name === 'empty')
      await site.sql.query(
        'TRUNCATE orders, referrals, members, decisions, rewards, events, deliveries, due_batches',
      );
    return linkNewMembers(site, round, count);
  });
  const heavyCount = Math.floor(sites.full.orders / 100_000);
  const heavy = Array.from({ length: heavyCount }, (_, number) => heavyMember(number));
  await copyHeavyMembers(sites, heavy);
  const many = await compare(() => Promise.resolve(heavy));
  return [
    comparedFigure(
      section,
      'first orders of referees',
      fresh,
      { of: 'ratio', atMost: 1.15 },
      profile.growthOfEvaluation,
    ),
    comparedFigure(section, `orders of ${heavyCount} members with 1,000 orders`, many, {
      of: 'ratio',
      atMost: 1.3,
    }),
  ];
}

/** Links new members to new referrers, one for ten of them. Returns the new members. */
async function linkNewMembers(site: Site, round: number, count: number): Promise<string[]> {
  const members = Array.from(
    { length: count },
    (_, index) => `m-${hashOf(`linked ${run} ${round} ${lastOrder} ${index}`, 14)}`,
  );
  await site.sql.query(
    `INSERT INTO referrals (merchant_id, id, referee_member_id, referrer_member_id, code, source, orders_enqueued_at)
     SELECT $1, 'ref_' || substr(md5($1 || member), 1, 22), member, 'by-' || ((number - 1) / 10) || '-' || $3, 'CODE', 'link', now()
     FROM unnest($2::text[]) WITH ORDINALITY AS linked (member, number)`,
    [merchantOf(site, largeMerchant), members, `${run}-${round}-${lastOrder}`],
  );
  return members;
}

/** Copies the members with 1,000 orders to the empty database. */
async function copyHeavyMembers(
  { full, empty }: { full: Site; empty: Site },
  members: string[],
): Promise<void> {
  const [from, to] = [merchantOf(full, largeMerchant), merchantOf(empty, largeMerchant)];
  await empty.sql.query(
    'TRUNCATE orders, referrals, members, decisions, rewards, events, deliveries, due_batches',
  );
  const tables = {
    orders: 'member_id',
    decisions: 'member_id',
    referrals: 'referee_member_id',
    rewards: `(SELECT referee_member_id FROM referrals r WHERE r.merchant_id = o.merchant_id AND r.id = o.referral_id)`,
  };
  for (const [table, member] of Object.entries(tables))
    for (const one of members) {
      const { rows } = await full.sql.query<{ row: object }>(
        `SELECT to_jsonb(o) || jsonb_build_object('merchant_id', $3::text, 'program_id', $4::text) AS row
         FROM ${table} o WHERE merchant_id = $1 AND ${table === 'rewards' ? `referral_id IN (SELECT id FROM referrals WHERE merchant_id = $1 AND referee_member_id = $2)` : `${member} = $2`}`,
        [from, one, to, 'x'],
      );
      await empty.sql.query(
        `INSERT INTO ${table} SELECT (jsonb_populate_record(NULL::${table}, row)).* FROM jsonb_array_elements($1::jsonb) AS row`,
        [JSON.stringify(rows.map(({ row }) => row))],
      );
    }
}
