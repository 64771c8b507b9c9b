import fc from 'fast-check';
import type { QueryResultRow } from 'pg';
import { propertyCases } from '@rewardhook/testing/property-cases';
import type { Order } from '@rewardhook/contract';
import {
  cancellationOf,
  countsAsPaid,
  defaultTerms,
  paidNow,
  parseTerms,
  productFiltersOf,
} from '@rewardhook/rewards';
import { buildItem, buildOrder, waitFor } from '@rewardhook/testing';
import { transact } from '../client/client.ts';
import type { Queryable } from '../client/client.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { waitForLocks } from '../fixtures/wait-for-locks.ts';
import { insertReferral } from '../members/referrals.ts';
import { upsertOrders } from '../orders/orders.ts';
import { listOrdersPage } from '../reads/orders.ts';
import { publishProgram } from '../rewards/programs.ts';
import { explainOrder } from './explain-order.ts';
import { parkOrder, recordFailure, unparkDecided } from './failing-batches.ts';
import { listOrderStates } from './order-states.ts';
import { listDueOrders } from './read-facts.ts';

describe('The input of an evaluation', () => {
  useDatabase(1);

  it('The input of an evaluation has timestamps in UTC with microseconds in any year, and months in the time zone of the merchant', async () => {
    for (const sql of [
      `INSERT INTO merchants (id, name, identity_secret) VALUES ('mer', '', '')`,
      `INSERT INTO orders (merchant_id, order_id, version, member_id, order_amount, paid_amount, shipping_amount,
       order_date, first_order, paid_at, items)
     VALUES ('mer', 'o1', 1, 'm1', 1, 1, 0, '9999-12-31T23:59:59.5-09:00', false, '2026-01-31T16:00:00.000001Z', '[]')`,
    ])
      await database.query(sql);
    const [stored] = await listOrderStates(database, 'mer', ['o1']);
    expect(stored?.order).toMatchObject({
      orderDate: '10000-01-01T08:59:59.500000Z',
      paidAt: '2026-01-31T16:00:00.000001Z',
      cancelledAt: null,
      month: '2026-02',
    });
  });
});

describe('The worth of an order', () => {
  const merchantId = 'mer_1';
  useDatabase(2);

  const at = '2026-11-10T10:00:00Z';
  const inAYear = new Date(Date.now() + 365 * 86_400_000).toISOString();
  const time = fc.option(fc.constant(at), { nil: null, freq: 1 });
  const item = fc.record({ paid_amount: fc.constantFrom(0, 1, 9_000), cancelled_at: time }).map(buildItem);
  const order = fc
    .record({
      paid_amount: fc.constantFrom(0, 1, 5_000, 30_000),
      shipping_amount: fc.constantFrom(0, 3_000),
      paid_at: fc.constantFrom(at, at, at, null, inAYear),
      cancelled_at: fc.constantFrom(null, null, null, at),
      returned_at: fc.constantFrom(null, null, null, at),
      items: fc.array(item, { maxLength: 3 }),
    })
    .map(buildOrder);

  /** The rule in the words of decision 003, without the code under test. */
  function expected({ paid_at, cancelled_at, returned_at, paid_amount, shipping_amount, items }: Order) {
    const kept = items.filter((one) => one.cancelled_at === null);
    const gone = cancelled_at !== null || (items.length > 0 && kept.length === 0);
    const rest = kept.reduce((sum, one) => sum + one.paid_amount, shipping_amount);
    return {
      counts: paid_at !== null && paid_at !== inAYear && returned_at === null && !gone,
      gone,
      paid: kept.length === items.length ? paid_amount : Math.min(paid_amount, rest),
    };
  }

  it('What an order is worth after its cancelled products is the same in SQL, in the rules and in the console', async () => {
    await database.merchant.create({ data: { id: merchantId, name: 'Tea shop', identitySecret: '' } });
    const orders = fc.sample(order, propertyCases(400));
    await upsertOrders(database, [{ merchantId, version: 1, orders: JSON.stringify(orders) }]);
    const states = await listOrderStates(
      database,
      merchantId,
      orders.map(({ order_id }) => order_id),
    );
    // The index of paid orders has the condition of the function written out.
    const [index] = await database.query<{ condition: string }>(
      `SELECT pg_get_expr(indpred, indrelid) AS condition FROM pg_index WHERE indexrelid = 'orders_paid_idx'::regclass`,
    );
    const counted = await database.query<{ order_id: string; indexed: boolean; counts: boolean }>(
      `SELECT order_id, ${index?.condition} AS indexed,
         rules.counts_as_paid(paid_at, counts_as_paid_at, cancelled_at, returned_at, items) AS counts FROM orders`,
    );
    const listed = await listOrdersPage(database, merchantId, {}, { after: null, limit: 400 });
    const results = new Map(
      counted.map(({ order_id, indexed, counts }) => [order_id, [indexed, counts] as unknown[]]),
    );
    for (const { order: fact } of states)
      results.get(fact.orderId)?.push(countsAsPaid(fact), cancellationOf(fact) !== null, paidNow(fact));
    for (const row of listed.items)
      results.get(row.order_id)?.push(row.every_product_cancelled || row.cancelled_at !== null, row.paid_now);
    for (const one of orders) {
      const { counts, gone, paid } = expected(one);
      expect({ order: one, result: results.get(one.order_id) }).toEqual({
        order: one,
        result: [counts, counts, counts, gone, paid, gone, paid],
      });
    }
  });
});

describe('The products of orders', () => {
  const merchantId = 'mer_1';
  useDatabase(2);

  it('are read at most 2,000 at a time, and of each order the sums are kept', async () => {
    await database.merchant.create({ data: { id: merchantId, name: 'Tea shop', identitySecret: '' } });
    const referee = { type: 'points', unit: 'points', amount: { kind: 'fixed', value: 1 } };
    const products = { exclude: { labels: ['sale'] } };
    const terms = parseTerms({ rules: [{ id: 'base', referee, referrer: null, products }] });
    // Ids and SKUs are as long as the contract allows: the orders are about 10 MiB.
    const largest = Array.from({ length: 700 }, (_, index) =>
      buildItem({
        ...{ product_id: `${index}`.padEnd(255, 'p'), sku: 's'.repeat(255), paid_amount: index },
        ...{ labels: index % 2 === 0 ? [`${index}`.padEnd(64, 'l')] : ['sale'] },
        cancelled_at: index === 0 || index === 698 ? '2026-11-10T10:00:00Z' : null,
      }),
    );
    const orders = Array.from({ length: 20 }, (_, index) =>
      buildOrder({ order_id: `o${index}`, items: index === 5 ? [] : largest.slice(index) }),
    );
    await upsertOrders(database, [{ merchantId, version: 1, orders: JSON.stringify(orders) }]);
    const parts: number[] = [];
    const watched: Queryable = {
      execute: (text, values) => database.execute(text, values),
      async query<Row extends QueryResultRow>(text: string, values?: unknown[]) {
        const rows = await database.query<Row>(text, values);
        const read = rows.flatMap((row): unknown[] => (row['products'] as unknown[] | undefined) ?? []);
        if (read.length > 0) parts.push(read.length);
        return rows;
      },
    };
    const ids = orders.map(({ order_id: id }) => id);
    const due = await listDueOrders(watched, merchantId, ids, [{ id: 'prg_1', version: 1, terms }]);
    expect(parts.reduce((sum, count) => sum + count)).toBe(orders.flatMap(({ items }) => items).length);
    expect(Math.max(...parts)).toBeLessThanOrEqual(2_000);
    expect(parts.length).toBeLessThanOrEqual(10);
    const [filter] = productFiltersOf(terms);
    const sumOf = (items: Order['items']) => items.reduce((sum, one) => sum + BigInt(one.paid_amount), 0n);
    for (const { order_id: id, items } of orders) {
      const found = due.find(({ order }) => order.orderId === id);
      const kept = items.filter((one) => one.cancelled_at === null);
      const eligible = kept.filter((one) => !one.labels?.includes('sale'));
      expect(found?.order.products).toEqual({
        paid: sumOf(kept),
        eligible: new Map([[filter, { count: eligible.length, paid: sumOf(eligible) }]]),
      });
    }
    // Without such a rule none are read.
    const before = parts.length;
    const [without] = await listDueOrders(watched, merchantId, ids, []);
    expect([without?.order.products, parts.length]).toEqual([null, before]);
  });
});

describe('The explanation of an order', () => {
  const merchantId = 'mer_1';
  useDatabase(6);

  it('An order that is evaluated while it is explained is explained as it was before', async () => {
    await database.merchant.create({ data: { id: merchantId, name: 'Tea shop', identitySecret: '' } });
    await database.program.create({ data: { merchantId, id: 'prg_1' } });
    const terms: object = defaultTerms;
    await database.programVersion.create({ data: { merchantId, version: 1, programId: 'prg_1', terms } });
    const { referral } = await insertReferral(database, {
      merchantId,
      referrerMemberId: 'ann',
      refereeMemberId: 'bob',
      source: 'link',
      flags: [],
    });
    const order = buildOrder({ member_id: 'bob' });
    await upsertOrders(database, [{ merchantId, version: 1, orders: JSON.stringify([order]) }]);
    const explain = () => explainOrder(database, merchantId, order.order_id);
    const explaining = await transact(database, async (tx) => {
      await tx.query('LOCK TABLE orders IN ACCESS EXCLUSIVE MODE');
      const explained = explain();
      explained.catch(() => undefined);
      // The explanation has read the versions of the program, and waits for the table of orders.
      await waitForLocks(database);
      const { version } = await publishProgram(database, merchantId, parseTerms({ referrer: null }));
      await tx.query(
        `INSERT INTO rewards (merchant_id, id, program_id, program_version, referral_id, subject, role, member_id, order_id,
         type, amount, unit, state, month, rule)
       VALUES ($1, 'rwd_1', 'prg_1', $2, $3, 'referral:' || $3, 'referee', 'bob', $4, 'points', 1, 'point', 'confirmed',
         '2026-11', 'default')`,
        [merchantId, version, referral.id, order.order_id],
      );
      return { explained };
    });
    const whats = (timeline?: { what: string }[]) => timeline?.map(({ what }) => what) ?? [];
    const before = await explaining.explained;
    expect(before).toMatchObject({ program: { version: 1 }, decision: { outcome: 'rewarded' } });
    expect(whats(before?.timeline)).not.toContain('reward_given');
    const after = await explain();
    expect(after).toMatchObject({ program: { version: 2 }, decision: { outcome: 'kept' } });
    expect(whats(after?.timeline)).toContain('reward_given');
  });

  it('What is no longer kept of an order is an entry of its timeline', async () => {
    const shop = 'mer_old';
    await database.merchant.create({ data: { id: shop, name: 'Tea shop', identitySecret: '' } });
    await database.program.create({ data: { merchantId: shop, id: 'prg_old' } });
    const terms: object = defaultTerms;
    await database.programVersion.create({
      data: { merchantId: shop, version: 1, programId: 'prg_old', terms },
    });
    const { referral } = await insertReferral(database, {
      merchantId: shop,
      referrerMemberId: 'ann',
      refereeMemberId: 'bob',
      source: 'link',
      flags: [],
    });
    const order = buildOrder({ member_id: 'bob' });
    await upsertOrders(database, [{ merchantId: shop, version: 1, orders: JSON.stringify([order]) }]);
    const [orderId, at] = [order.order_id, new Date(Date.now() - 200 * 86_400_000)];
    const own = { merchantId: shop, referralId: referral.id, memberId: 'bob', programVersion: 1, orderId };
    await database.decision.create({
      data: {
        ...{ ...own, number: 3, orderVersion: 1, createdAt: at },
        ...{ outcome: 'rewarded', reason: 'rewarded', checks: [] },
      },
    });
    const reward = {
      programId: 'prg_old',
      rule: 'default',
      subject: `referral:${referral.id}`,
      type: 'points',
      amount: 1,
      unit: 'point',
    };
    const issued = {
      state: 'confirmed',
      month: '2026-05',
      createdAt: at,
      confirmedAt: at,
      issuedTo: ['whk_1'],
    };
    for (const role of ['referee', 'referrer'])
      await database.reward.create({ data: { ...own, ...reward, ...issued, id: `rwd_${role}`, role } });
    await database.event.create({
      data: {
        merchantId: shop,
        id: 'evt_old',
        type: 'reward.issue',
        rewardId: 'rwd_referrer',
        body: '{}',
        createdAt: at,
      },
    });
    await database.endpoint.create({
      data: { id: 'whk_old', merchantId: shop, url: 'https://x.test', eventTypes: [] },
    });
    await database.delivery.create({
      data: {
        ...{ id: crypto.randomUUID(), merchantId: shop, eventId: 'evt_old', endpointId: 'whk_old' },
        ...{ state: 'delivered', attemptsMade: 2, createdAt: at, eventCreatedAt: at, nextAttemptAt: null },
      },
    });
    const explained = await explainOrder(database, shop, orderId);
    expect(explained?.timeline.filter(({ what }) => what.endsWith('_deleted'))).toMatchObject([
      { what: 'decisions_deleted', count: 2 },
      { what: 'event_deleted', type: 'reward.issue', reward_id: 'rwd_referee', notified: true },
      { what: 'attempts_deleted', count: 2 },
    ]);
  });
});

describe('Failing batches', () => {
  useDatabase(3);

  const merchantId = 'mer_1';
  const batches = () => database.dueBatch.findMany({ where: { merchantId }, orderBy: { orderIds: 'asc' } });
  const requestOf = (version: number) => ({ version, id: `req_${version}` });

  /** Parks an order that came with the request of this version. */
  async function park(orderId: string, version: number): Promise<void> {
    const { id } = await database.dueBatch.create({
      data: {
        merchantId,
        orderIds: [orderId],
        memberIds: ['ann'],
        orderVersions: [BigInt(version)],
        requests: [requestOf(version)],
      },
    });
    await parkOrder(database, { merchantId, batchId: id }, 'a defect');
  }

  /** Stores a decision about a version of an order. */
  async function decide(orderId: string, version: number): Promise<void> {
    await database.decision.create({
      data: {
        merchantId,
        orderId,
        number: version,
        orderVersion: BigInt(version),
        memberId: 'ann',
        referralId: 'ref_1',
        programVersion: 1,
        outcome: 'no_reward',
        reason: 'not_paid',
        checks: [],
      },
    });
  }

  afterEach(async () => {
    await database.dueBatch.deleteMany({ where: { merchantId } });
    await database.decision.deleteMany({ where: { merchantId } });
  });

  describe('A batch that fails three times', () => {
    it('is replaced by a batch for each order, with its version and its requests', async () => {
      const { id: batchId } = await database.dueBatch.create({
        data: {
          merchantId,
          orderIds: ['o1', 'o2'],
          memberIds: ['ann', 'ben'],
          orderVersions: [1n, 2n],
          requests: [requestOf(1), requestOf(2), { id: 'req_of_all' }],
        },
      });
      const failure = () => recordFailure(database, { merchantId, batchId }, 'a defect');
      expect([await failure(), await failure()]).toEqual([undefined, undefined]);
      expect(await failure()).toMatchObject([{ orders: 1 }, { orders: 1 }]);
      const common = { failures: 3, lastError: 'a defect', parkedAt: null };
      expect(await batches()).toMatchObject([
        { ...common, orderIds: ['o1'], memberIds: ['ann'], requests: [requestOf(1), { id: 'req_of_all' }] },
        { ...common, orderIds: ['o2'], memberIds: ['ben'], requests: [requestOf(2), { id: 'req_of_all' }] },
      ]);
    });
  });

  describe('A parked order', () => {
    it('has one row with its newest request, however often it is parked, until it is decided', async () => {
      await park('o1', 1);
      await park('o2', 2);
      for (let version = 3; version < 6; version += 1) await park('o1', version);
      expect(await batches()).toMatchObject([
        { orderIds: ['o1'], orderVersions: [5n], requests: [requestOf(5)] },
        { orderIds: ['o2'], orderVersions: [2n], requests: [requestOf(2)] },
      ]);
      await decide('o1', 6);
      await unparkDecided(database);
      expect(await batches()).toMatchObject([
        { orderIds: ['o2'], orderVersions: [2n], requests: [requestOf(2)] },
      ]);
    });

    it('is no longer parked when its newer version was decided, although another order was parked after the decision', async () => {
      await park('o1', 1);
      await decide('o1', 2);
      await park('o2', 3);
      await unparkDecided(database);
      expect(await batches()).toMatchObject([{ orderIds: ['o2'], orderVersions: [3n] }]);
    });

    it('remains parked when it was decided, and was parked again with its next version', async () => {
      await park('o1', 1);
      await decide('o1', 2);
      await park('o1', 3);
      await unparkDecided(database);
      expect(await batches()).toMatchObject([{ orderIds: ['o1'], orderVersions: [3n] }]);
    });

    it('remains parked when it is parked again while decided orders are looked for', async () => {
      await park('o1', 1);
      await decide('o1', 2);
      await database.dueBatch.create({
        data: { merchantId, orderIds: ['o1'], memberIds: ['ann'], orderVersions: [3n] },
      });
      // The statement reads the row before the order is parked again, and changes it afterwards.
      const unparking = await database.$transaction(async (tx) => {
        await tx.$queryRaw`SELECT 1 FROM due_batches WHERE merchant_id = ${merchantId} AND parked_at IS NOT NULL FOR UPDATE`;
        const running = unparkDecided(database);
        await waitFor(async () => {
          const [waiting] = await database.query<{ count: number }>(
            `SELECT count(*)::int AS count FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          );
          return waiting?.count === 1;
        });
        await tx.$executeRaw`UPDATE due_batches SET parked_at = clock_timestamp(), order_versions = '{3}'
        WHERE merchant_id = ${merchantId} AND parked_at IS NOT NULL`;
        await tx.$executeRaw`DELETE FROM due_batches WHERE merchant_id = ${merchantId} AND parked_at IS NULL`;
        return { running };
      });
      await unparking.running;
      expect(await batches()).toMatchObject([{ orderIds: ['o1'], orderVersions: [3n] }]);
    });
  });
});
