import type { Queryable } from '../client/client.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { summarizeActivity } from './activity.ts';
import { listMembersPage } from './members.ts';
import { findOrderOutcomes } from './order-outcomes.ts';

useDatabase(2);

/** The plans of the statements of a read. */
async function plansOf(read: (queryable: Queryable) => Promise<unknown>): Promise<string> {
  const plans: string[] = [];
  await read({
    async query(text, values = []) {
      const rows = await database.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
      plans.push(...rows.map((row) => row['QUERY PLAN']));
      return [];
    },
    execute: (text, values) => database.execute(text, values),
  });
  return plans.join('\n');
}

const first = { after: null, limit: 50 };

describe('Reads of the console in large tables', () => {
  beforeAll(async () => {
    for (const sql of [
      `INSERT INTO merchants (id, name, identity_secret) VALUES ('mer', '', '')`,
      `INSERT INTO members (merchant_id, member_id, code, look_alike)
       SELECT 'mer', 'm-' || md5(n::text), upper(substr(md5(n::text), 1, 12)), sha256(n::text::bytea) FROM generate_series(1, 5000) n`,
      `INSERT INTO orders (merchant_id, order_id, version, member_id, order_amount, paid_amount, shipping_amount,
         order_date, first_order, items, created_at)
       SELECT 'mer', 'o' || n, 1, 'm', 1, 1, 0, now(), false, '[]', now() - n * interval '30 minutes'
       FROM generate_series(1, 5000) n`,
      `INSERT INTO decisions (merchant_id, order_id, number, order_version, member_id, referral_id, program_version,
         outcome, reason, checks, created_at)
       SELECT 'mer', 'o' || n, 1, 1, 'm', 'r', 1, 'no_reward', 'not_paid', '[]', now() - n * interval '30 minutes'
       FROM generate_series(1, 5000) n`,
      `INSERT INTO rewards (merchant_id, id, program_id, program_version, referral_id, subject, role, member_id,
         order_id, type, amount, unit, state, month, created_at, confirmed_at, ended_at)
       SELECT 'mer', 'w' || n, 'p', 1, 'r' || n, 'order:' || n, 'referee', 'm', 'o' || n, 'points', 1, 'won',
         CASE WHEN n % 10 = 0 THEN 'revoked' ELSE 'confirmed' END, '2026-01', at, at, CASE WHEN n % 10 = 0 THEN at END
       FROM generate_series(1, 5000) n, LATERAL (SELECT now() - n * interval '30 minutes' AS at) made`,
      `INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id, state, created_at)
       SELECT gen_random_uuid(), 'mer', 'e' || n, at, 'p', 'delivered', at
       FROM generate_series(1, 5000) n, LATERAL (SELECT now() - n * interval '30 minutes' AS at) made`,
      'ANALYZE',
    ])
      await database.query(sql);
  });

  it('A search for members reads the range of its prefix and the index of the codes, whatever the collation and also when nothing matches', async () => {
    const plan = await plansOf((queryable) => listMembersPage(queryable, 'mer', ' nobody', first));
    for (const id of [' nobody', 'nobody'])
      expect(plan).toMatch(new RegExp(`Index Cond: .*merchant_id = 'mer'.*member_id ~?>=~? '${id}'`));
    expect(plan).toMatch(/using members_code_key on members/);
    expect(plan).not.toMatch(/Seq Scan on members/);
    const { items } = await listMembersPage(database, 'mer', undefined, first);
    const { member_id: memberId, code } = items[0]!;
    const found = async (search: string) =>
      (await listMembersPage(database, 'mer', search, first)).items.map((one) => one.member_id);
    expect(await found(memberId)).toEqual([memberId]);
    expect(await found(`\u200b${memberId} `)).toEqual([memberId]);
    expect(await found(code.toLowerCase())).toEqual([memberId]);
    expect(await found('m-')).toHaveLength(50);
    expect(await found('nobody')).toEqual([]);
  });

  it('The home page reads each table in an index by merchant and time, and nothing from before its time', async () => {
    const plan = await plansOf((queryable) =>
      summarizeActivity(queryable, 'mer', { step: '1 hour', count: 24 }),
    );
    for (const table of ['orders', 'decisions', 'rewards', 'deliveries'])
      expect(plan).not.toMatch(new RegExp(`Seq Scan on ${table}`));
    const conditions = plan.match(/Index Cond: .*/g) ?? [];
    expect(conditions.filter((one) => /_at >=/.test(one)).length).toBeGreaterThanOrEqual(6);
    expect(conditions.filter((one) => /merchant_id = 'mer'(?!.*(_at >=|order_id =))/.test(one))).toEqual([]);
  });

  it('What became of the orders of a page is read by keys, however many orders, decisions, rewards and deliveries there are', async () => {
    const ids = Array.from({ length: 50 }, (_, index) => `o${index + 1}`);
    const plan = await plansOf((queryable) => findOrderOutcomes(queryable, 'mer', ids));
    for (const table of ['orders', 'decisions', 'rewards', 'deliveries'])
      expect(plan).not.toMatch(new RegExp(`Seq Scan on ${table}`));
    expect(plan).toMatch(/Index Cond: .*order_id = wanted.order_id/);
    expect(plan).toMatch(/Index Cond: .*event_id = wanted.event_id/);
  });
});
