import { transact } from '../client/client.ts';
import type { Queryable } from '../client/client.ts';
import { preferIndexes } from '../client/read-in-pages.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { hasDeliveredReward } from './checklist.ts';
import { listMembersPage } from './members.ts';
import { findOrderOutcomes } from './order-outcomes.ts';
import { pageSql } from './list-page.ts';
import { listOrdersPage, ordersQuery } from './orders.ts';
import { readFigures, readTopReferrers, readVersionFigures } from './performance.ts';
import { referralsQuery } from './referrals.ts';
import { requestsQuery } from './requests.ts';
import type { RequestSearch } from './requests.ts';
import { listRewardsPage, rewardsQuery } from './rewards.ts';
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
       SELECT 'mer', 'w' || n, 'p', 1, 'r' || n, 'order:' || n, CASE n WHEN 5300 THEN 'referrer' ELSE 'referee' END, 'm', 'o' || n,
         'points', 1, 'won', CASE WHEN n % 10 = 0 THEN 'revoked' ELSE 'confirmed' END, '2026-01', at, at,
         CASE WHEN n % 10 = 0 THEN at END
       FROM generate_series(1, 5500) n, LATERAL (SELECT now() - n * interval '30 minutes' AS at) made`,
      `INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id, state, created_at)
       SELECT gen_random_uuid(), 'mer', 'e' || n, at, 'p', 'delivered', at
       FROM generate_series(1, 5000) n, LATERAL (SELECT now() - n * interval '30 minutes' AS at) made`,
      `INSERT INTO referrals (merchant_id, id, referee_member_id, referrer_member_id, code, source, linked_at)
       SELECT 'mer', 'r' || n, 'm' || n, 'm', 'c', 'link', now() - n * interval '30 minutes' FROM generate_series(1, 5000) n`,
      `INSERT INTO referred_orders (merchant_id, order_id, order_date, referral_id, program_version, revenue, is_first)
       SELECT 'mer', 'o' || n, now() - n * interval '30 minutes', 'r' || n, 1, 1, true FROM generate_series(1, 5000) n`,
      `INSERT INTO requests (merchant_id, at, route, status, code, key_id, duration_ms, request_id, warnings)
       SELECT 'mer', now() - n * interval '30 seconds', 'POST /r' || n % 5, CASE WHEN n % 50 = 0 THEN 400 ELSE 202 END,
         CASE WHEN n % 50 = 0 THEN 'invalid_request' END, 'k' || n % 7, 1, 'q' || n % 2000,
         CASE WHEN n % 40 = 1 THEN ARRAY['unknown_field'] ELSE '{}' END
       FROM generate_series(1, 9000) n`,
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

  it('A reward was delivered also when none of the oldest 1,000 deliveries arrived, once a webhook accepted a later one', async () => {
    const found: boolean[] = [];
    for (const outcome of ['503', 'timeout', '204']) {
      await database.query(
        `INSERT INTO attempt_counts (merchant_id, endpoint_id, starts_at, outcome, within_ms, total)
         VALUES ('mer', 'p', 'epoch', $1, 10, 1)`,
        [outcome],
      );
      found.push(await hasDeliveredReward(database, 'mer'));
    }
    expect(found).toEqual([false, false, true]);
    expect(await hasDeliveredReward(database, 'other')).toBe(false);
    const plan = await plansOf((queryable) => hasDeliveredReward(queryable, 'mer'));
    expect(plan).toMatch(/Limit[^]*using deliveries_merchant_id_created_at_idx/);
  });

  it('What became of the orders of a page is read by keys, however many orders, decisions, rewards and deliveries there are', async () => {
    const ids = Array.from({ length: 50 }, (_, index) => `o${index + 1}`);
    const plan = await plansOf((queryable) => findOrderOutcomes(queryable, 'mer', ids));
    for (const table of ['orders', 'decisions', 'rewards', 'deliveries'])
      expect(plan).not.toMatch(new RegExp(`Seq Scan on ${table}`));
    expect(plan).toMatch(/Index Cond: .*order_id = wanted.order_id/);
    expect(plan).toMatch(/Index Cond: .*event_id = wanted.event_id/);
  });

  it('A filter that no index answers examines 5,000 rows for a page, which says how far it looked, and the next page goes on from there', async () => {
    const filter = { role: 'referrer' };
    const page = await listRewardsPage(database, 'mer', filter, { ...first, bounded: true });
    const [last] = await database.query<{ time: string }>(
      'SELECT rules.iso_utc(created_at) AS time FROM rewards ORDER BY created_at DESC OFFSET 4999 LIMIT 1',
    );
    expect(page).toEqual({ items: [], next: expect.any(String), searched_to: last });
    const rest = await listRewardsPage(database, 'mer', filter, {
      ...first,
      after: page.next,
      bounded: true,
    });
    expect(rest).toEqual({ items: [expect.objectContaining({ id: 'w5300' })], next: null });
    // A page that is full ends at its last row, and one that nothing bounds finds all.
    const many = await listRewardsPage(database, 'mer', { role: 'referee' }, { ...first, bounded: true });
    expect(many).toEqual(await listRewardsPage(database, 'mer', {}, first));
    expect((await listRewardsPage(database, 'mer', filter, first)).items).toEqual(rest.items);
  });

  it.each<[string, string, RequestSearch]>([
    ['at', 'all', {}],
    ['at', 'those of a route and a key', { route: 'POST /r1', keyId: 'k9' }],
    ['request_id', 'those with an id', { requestId: 'q7', code: 'invalid_request' }],
    ['code', 'those of a code and a route', { code: 'invalid_request', route: 'POST /r0' }],
    ['warnings', 'those with a warning', { warning: 'unknown_field' }],
  ])(
    'The list of requests reads the index by %s for %s, in its order, and at most 5,000 rows',
    async (index, _, search) => {
      const { sql, values } = pageSql(requestsQuery('mer', search), { ...first, bounded: true });
      const plan = await transact(database, async (tx) => {
        await preferIndexes(tx);
        return tx.query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${sql}`, values);
      });
      const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
      const scans = [
        ...lines.matchAll(/Scan(?: Backward)?(?: using (\w+))? on (?:requests_\w+) r.*actual rows=(\d+)/g),
      ];
      const name = {
        at: 'merchant_id_at_id',
        request_id: 'merchant_id_request_id_at_id',
        code: 'merchant_id_code_at_id',
      };
      const wanted = name[index as 'at'] ?? 'merchant_id_at_id_idx1';
      expect(scans.filter(([, used]) => !used?.includes(wanted))).toEqual([]);
      expect(scans.reduce((sum, [, , rows]) => sum + Number(rows), 0)).toBeLessThanOrEqual(5_100);
      expect(lines).not.toMatch(/-> +(?:Incremental )?Sort /);
    },
  );

  it.each([
    ['orders by state', () => ordersQuery('mer', { state: 'paid' }), 'orders_merchant_id_created_at_idx'],
    [
      'orders by decision',
      () => ordersQuery('mer', { decision: 'stopped' }),
      'orders_merchant_id_created_at_idx',
    ],
    [
      'referred orders',
      () => ordersQuery('mer', { referred: 'all', state: 'paid' }),
      'referred_orders_by_date_idx',
    ],
    ['first orders', () => ordersQuery('mer', { referred: 'first' }), 'referred_orders_by_date_idx'],
    ['rewards by role', () => rewardsQuery('mer', { role: 'referee' }), 'rewards_merchant_id_created_at_idx'],
    ['rewards that are pending', () => rewardsQuery('mer', { state: 'pending' }), 'rewards_unconfirmed_idx'],
    [
      'confirmed rewards',
      () => rewardsQuery('mer', { by: 'confirmed', role: 'referee' }),
      'rewards_confirmed_idx',
    ],
    ['revoked rewards', () => rewardsQuery('mer', { by: 'revoked', role: 'referee' }), 'rewards_revoked_idx'],
    ['referrals that count', () => referralsQuery('mer', { counted: true }), 'referrals_linked_idx'],
  ])(
    'A page of %s is read in the order of an index, no further than it needs',
    async (_name, queryOf, index) => {
      const { sql, values } = pageSql(queryOf(), { ...first, bounded: true });
      const plan = await transact(database, async (tx) => {
        await preferIndexes(tx);
        return tx.query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${sql}`, values);
      });
      const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
      expect(lines).toMatch(new RegExp(`using ${index} on`));
      expect(lines).not.toMatch(/Seq Scan|(?<!Incremental) Sort \(|hashed/);
    },
  );

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
