import { transact } from '../client/client.ts';
import type { Queryable } from '../client/client.ts';
import { preferIndexes } from '../client/read-in-pages.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { summarizeActivity } from './activity.ts';
import { listMembersPage } from './members.ts';
import { findOrderOutcomes } from './order-outcomes.ts';
import { listOrdersPage } from './orders.ts';
import { readFigures, readTopReferrers, readVersionFigures } from './performance.ts';
import { findMatches, matchesIn } from './search.ts';

useDatabase(2);

/** The plans of the statements of a read. */
async function plansOf(
  read: (queryable: Queryable) => Promise<unknown>,
  on: Queryable = database,
): Promise<string> {
  const plans: string[] = [];
  await read({
    async query(text, values = []) {
      const rows = await on.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
      plans.push(...rows.map((row) => row['QUERY PLAN']));
      return [];
    },
    execute: (text, values) => on.execute(text, values),
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
      `INSERT INTO referrals (merchant_id, id, referee_member_id, referrer_member_id, code, source, linked_at)
       SELECT 'mer', 'r' || n, 'm' || n, 'm', 'c', 'link', now() - n * interval '30 minutes' FROM generate_series(1, 5000) n`,
      `INSERT INTO referred_orders (merchant_id, order_id, order_date, referral_id, program_version, revenue, is_first)
       SELECT 'mer', 'o' || n, now() - n * interval '30 minutes', 'r' || n, 1, 1, true FROM generate_series(1, 5000) n`,
      'ANALYZE',
    ])
      await database.query(sql);
  });

  it('A search for members reads the range of its prefix and the index of the codes, whatever the collation and also when nothing matches', async () => {
    const plan = await plansOf((queryable) => listMembersPage(queryable, 'mer', ' nobody', first));
    for (const id of [' nobody', 'nobody'])
      expect(plan).toMatch(
        new RegExp(`Index Cond: .*merchant_id = 'mer'.*lower\\(member_id\\) ~?>=~? '${id}'`),
      );
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

  it('A search of all kinds reads the rows of its answer only, in the order of the ids, and no table as a whole', async () => {
    const plan = await transact(database, async (tx) => {
      await preferIndexes(tx);
      return plansOf((queryable) => matchesIn(queryable, 'mer', 'O1'), tx);
    });
    for (const index of [
      'orders_merchant_id_order_id_prefix_idx',
      'members_merchant_id_member_id_prefix_idx',
    ])
      expect(plan).toMatch(new RegExp(`Index Scan using ${index}[^\n]*\n +Index Cond: .*~>=~ 'o1'`));
    // The ids that differ in case only are sorted, in the order of the index.
    expect(plan).toMatch(/Presorted Key: \(?lower\(order_id\)/);
    expect(plan).not.toMatch(/Seq Scan on (orders|members|endpoints)/);
    // A code and a former id are not looked for among all members.
    expect(plan).not.toMatch(/on members [^\n]*\n +Index Cond: \(merchant_id = 'mer'::text\)\n/);
    const ids = async (text: string) =>
      (await findMatches(database, 'mer', text)).map(({ items, more }) => [items.map(({ id }) => id), more]);
    expect(await ids('O1')).toEqual([[['o1', 'o10', 'o100', 'o1000', 'o1001'], true]]);
    expect(await ids('o4999')).toEqual([[['o4999'], false]]);
    expect(await ids('o%')).toEqual([]);
    const paged = await listOrdersPage(database, 'mer', { search: 'O1' }, { after: null, limit: 2 });
    const next = { after: paged.next, limit: 2 };
    const after = await listOrdersPage(database, 'mer', { search: 'O1' }, next);
    expect([...paged.items, ...after.items].map((one) => one.order_id)).toEqual([
      'o1',
      'o10',
      'o100',
      'o1000',
    ]);
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

  it('The figures read ranges of indexes by merchant and time, and no row of a table', async () => {
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    const periods = [
      { from: day(6), until: day(-1) },
      { from: day(13), until: day(6) },
    ];
    await database.query('VACUUM referrals, referred_orders, rewards');
    const plan = await plansOf((queryable) => readFigures(queryable, 'mer', periods));
    const scans = plan.match(
      /\w+(?: Only| Heap)? Scan(?: using \w+)? on (?:referrals|referred_orders|rewards)\b/g,
    );
    expect(scans?.toSorted()).toEqual([
      'Index Only Scan using referrals_linked_idx on referrals',
      'Index Only Scan using referred_orders_by_date_idx on referred_orders',
      'Index Only Scan using rewards_confirmed_idx on rewards',
      'Index Only Scan using rewards_revoked_idx on rewards',
    ]);
    const ranges = (text: string) =>
      (text.match(/Index Cond: .*/g) ?? []).filter((one) => /(_at|_date) >= .*(_at|_date) < /.test(one));
    expect(ranges(plan)).toHaveLength(4);

    const [period] = periods as [(typeof periods)[number]];
    const ofVersions = await plansOf((queryable) => readVersionFigures(queryable, 'mer', period));
    expect(ofVersions.match(/Index Only Scan using \w+/g)?.toSorted()).toEqual([
      'Index Only Scan using referred_orders_by_date_idx',
      'Index Only Scan using rewards_confirmed_idx',
      'Index Only Scan using rewards_revoked_idx',
    ]);
    expect(ranges(ofVersions)).toHaveLength(3);
    const ofReferrers = await plansOf((queryable) => readTopReferrers(queryable, 'mer', period, 10));
    expect(ofReferrers).not.toContain('Seq Scan on referred_orders');
    expect(ranges(ofReferrers)).toHaveLength(1);
  });
});
