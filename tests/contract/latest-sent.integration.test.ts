import fc from 'fast-check';
import { propertyCases } from '@rewardhook/testing/property-cases';
import type { Order } from '@rewardhook/contract';
import { noTracing } from '@rewardhook/process';
import { openDatabase } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { connectWorker, disconnect, openProducer, openVersions } from '@rewardhook/pipeline';
import type { Jobs, Producer, Redis } from '@rewardhook/pipeline';
import { buildItem, buildOrder, waitFor } from '@rewardhook/testing';
import { createTestDatabase } from '@rewardhook/testing/servers';
import type { TestDatabase } from '@rewardhook/testing/servers';
import { storeOrders } from '../../apps/sync/src/store-orders.ts';
import { openCleanup } from '../harness/cleanup.ts';
import { testLog as log } from '../harness/test-log.ts';
import { startFlow } from '../harness/start-flow.ts';
import { readStoredOrder } from '../harness/read-stored-order.ts';

/** A request, before it is a job. */
interface SentRequest {
  merchantId: string;
  version: number;
  orders: Order[];
}

const jobOf = ({ orders, ...head }: SentRequest): Jobs['sync'] => ({
  ...head,
  count: orders.length,
  orders: JSON.stringify(orders),
});

describe('Orders that are sent several times', () => {
  const merchants = ['m-a', 'm-b'];
  const cleanup = openCleanup();
  let testDatabase: TestDatabase;
  let database: Database;
  let redis: Redis;
  let evaluation: Producer<'reward-evaluation'>;
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    cleanup.add(() => testDatabase.drop());
    database = openDatabase({ url: testDatabase.url, poolSize: 6, applicationName: 'test' });
    cleanup.add(() => database.$disconnect());
    redis = connectWorker(String(process.env['TEST_REDIS_URL']), log);
    cleanup.add(() => disconnect(redis));
    await waitFor(() => redis.status === 'ready', { everyMs: 5 });
    for (const id of merchants)
      await database.merchant.create({ data: { id, name: id, identitySecret: '' } });
    evaluation = openProducer('reward-evaluation', redis, '{test-latest}');
    cleanup.add(() => evaluation.close());
  });
  afterAll(() => cleanup.run());

  const order = fc
    .record({
      order_id: fc.constantFrom('o-1', 'o-2', 'o-3', 'O-1', 'ö'),
      member_id: fc.constantFrom('u-1', 'u-2'),
      paid_amount: fc.nat({ max: 1_000_000 }),
      cancelled_at: fc.constantFrom(null, '2026-03-01T00:00:00Z'),
      // Around the versions, which are the time of acceptance in microseconds.
      updated_at: fc.option(
        fc.integer({ min: 997, max: 1_012 }).map((ms) => new Date(ms).toISOString()),
        { nil: null, freq: 2 },
      ),
      items: fc.array(
        fc.nat({ max: 9 }).map((quantity) => buildItem({ quantity: quantity + 1 })),
        {
          maxLength: 2,
        },
      ),
    })
    .map((fields) => buildOrder({ order_date: '2026-03-01T00:00:00Z', paid_at: null, ...fields }));
  /** The result of the validation: each order_id once, as last sent. */
  const collapse = (orders: Order[]) => [...new Map(orders.map((one) => [one.order_id, one])).values()];
  const sent = fc.array(
    fc.record({
      merchantId: fc.constantFrom(...merchants),
      orders: fc.array(order, { minLength: 1, maxLength: 4 }).map(collapse),
    }),
    { minLength: 1, maxLength: 10 },
  );
  const stamped = sent.map((requests): SentRequest[] =>
    requests.map((request, index) => ({ ...request, version: 1_000_000 + 1_000 * index })),
  );
  /** Every job at least once, some of them again, in any order, some at the same time. */
  const processing = stamped.chain((jobs) =>
    fc.record({
      jobs: fc.constant(jobs),
      runs: fc
        .tuple(
          fc.shuffledSubarray(jobs, { minLength: jobs.length }),
          fc.array(fc.constantFrom(...jobs), { maxLength: 6 }),
        )
        .map(([all, again]) => [...all, ...again]),
      together: fc.integer({ min: 1, max: 5 }),
    }),
  );

  function expected(jobs: SentRequest[]): Record<string, unknown> {
    const rows = new Map<string, unknown>();
    const times = new Map<string, number>();
    // In the order of versions: of equal times the later sent wins.
    for (const { merchantId, version, orders } of jobs)
      for (const { order_id, member_id, paid_amount, cancelled_at, updated_at, items } of orders) {
        const key = `${merchantId}/${order_id}`;
        const time = Math.min(version, updated_at === null ? version : Date.parse(updated_at) * 1_000);
        if (time < (times.get(key) ?? 0)) continue;
        times.set(key, time);
        rows.set(key, {
          version: BigInt(version),
          member_id,
          paid_amount: BigInt(paid_amount),
          cancelled: cancelled_at !== null,
          items,
        });
      }
    return Object.fromEntries(rows);
  }
  async function actual(): Promise<Record<string, unknown>> {
    const rows = await database.order.findMany();
    return Object.fromEntries(
      rows.map((row) => [
        `${row.merchantId}/${row.orderId}`,
        {
          version: row.version,
          member_id: row.memberId,
          paid_amount: row.paidAmount,
          cancelled: row.cancelledAt !== null,
          items: row.items,
        },
      ]),
    );
  }

  /** The states that were sent after the stored one, and are not listed as dropped. */
  async function notListed(jobs: SentRequest[]): Promise<string[]> {
    const rows = await database.order.findMany();
    return rows.flatMap(({ merchantId, orderId, version, outdated }) =>
      jobs
        .filter((job) => job.merchantId === merchantId && job.version > version)
        .filter(({ orders }) => orders.some(({ order_id }) => order_id === orderId))
        .filter((job) => outdated.filter((one) => one === BigInt(job.version)).length !== 1)
        .map((job) => `${merchantId} ${orderId} ${job.version}`),
    );
  }

  it.each([
    ['that merchants share', false],
    ['of one merchant each', true],
  ])(
    'result in the same rows for any order of processing, any repetition and any overlap, with statements %s',
    async (_name, oneMerchant) => {
      await fc.assert(
        fc.asyncProperty(processing, async ({ jobs, runs, together }) => {
          await database.order.deleteMany();
          const store = storeOrders({
            database,
            evaluation,
            onDropped: () => undefined,
            tracing: noTracing,
            log,
            oneMerchant,
          });
          for (let at = 0; at < runs.length; at += together)
            await Promise.all(runs.slice(at, at + together).map((job) => store(jobOf(job))));
          expect(await actual()).toEqual(expected(jobs));
          expect(await notListed(jobs)).toEqual([]);
        }),
        { numRuns: propertyCases(40), seed: 20_261_121 },
      );
    },
  );

  it('result in the same rows when several workers store them at once', async () => {
    await fc.assert(
      fc.asyncProperty(processing, async ({ jobs, runs }) => {
        await database.order.deleteMany();
        const workers = [1, 2, 3].map(() =>
          storeOrders({ database, evaluation, onDropped: () => undefined, tracing: noTracing, log }),
        );
        await Promise.all(runs.map((job, index) => workers[index % workers.length]?.(jobOf(job))));
        expect(await actual()).toEqual(expected(jobs));
      }),
      { numRuns: propertyCases(25), seed: 7 },
    );
  });

  it('have strictly increasing versions over instances, a clock that was set back, and an emptied Redis', async () => {
    const second = connectWorker(String(process.env['TEST_REDIS_URL']), log);
    cleanup.add(() => disconnect(second));
    await waitFor(() => second.status === 'ready', { everyMs: 5 });
    // The ceiling is a minute above the versions that are stored.
    let stored = 0;
    const options = {
      prefix: '{test-versions}',
      findFreeVersion: () => Promise.resolve(stored + 60_000_000),
      onUnconfirmed: () => undefined,
    };
    await redis.del('{test-versions}:order-version', '{test-versions}:order-version-server');
    const own = openVersions(redis, options);
    const other = openVersions(second, options);
    expect(await own.next()).toBeGreaterThan(1_700_000_000_000_000);
    await redis.set('{test-versions}:order-version', '1');
    const given = [await other.next()];
    expect(given[0]).toBeGreaterThan(1_700_000_000_000_000);
    const burst = await Promise.all(Array.from({ length: 200 }, (_, i) => (i % 2 ? own : other).next()));
    given.push(...burst);
    expect(new Set(given).size).toBe(201);
    // A clock that was an hour fast: versions continue from its time.
    const ahead = Math.max(...given) + 3_600_000_000;
    await redis.set('{test-versions}:order-version', String(ahead));
    expect(await own.next()).toBe(ahead + 1);
    stored = ahead + 1;
    await redis.del('{test-versions}:order-version');
    expect(await own.next()).toBeGreaterThan(stored);
  });
});

describe('Orders that are sent over HTTP', () => {
  it('are stored in their last version when a request has one of them twice', async () => {
    const flow = await startFlow();
    try {
      const shop = await flow.openMerchant();
      const first = buildOrder({ paid_amount: 1 });
      const orders = [first, buildOrder(), { ...first, paid_amount: 2 }, { ...first, paid_amount: 3 }];
      await flow.syncAndSettle(shop, ...orders);
      expect(await readStoredOrder(flow.database, shop.id, first.order_id)).toMatchObject({ paid_amount: 3 });
      // Sent one after the other, without waiting for anything but the 202.
      for (let amount = 10; amount < 40; amount += 1)
        await flow.sync(shop, { ...first, paid_amount: amount });
      await flow.queues.settled();
      expect(await readStoredOrder(flow.database, shop.id, first.order_id)).toMatchObject({
        paid_amount: 39,
      });
    } finally {
      await flow.close();
    }
  });

  it("have date-times without an offset in the merchant's time zone", async () => {
    const flow = await startFlow();
    try {
      const [seoul, berlin] = [await flow.openMerchant(), await flow.openMerchant('Europe/Berlin')];
      const order = buildOrder({ paid_at: '2026-07-01T12:00:00', cancelled_at: '2026-01-01T12:00:00' });
      await flow.syncAndSettle(seoul, order);
      await flow.syncAndSettle(berlin, order);
      expect(await readStoredOrder(flow.database, seoul.id, order.order_id)).toMatchObject({
        paid_at: '2026-07-01T03:00:00.000000Z',
        cancelled_at: '2026-01-01T03:00:00.000000Z',
      });
      expect(await readStoredOrder(flow.database, berlin.id, order.order_id)).toMatchObject({
        paid_at: '2026-07-01T10:00:00.000000Z',
        cancelled_at: '2026-01-01T11:00:00.000000Z',
      });
    } finally {
      await flow.close();
    }
  });
});
