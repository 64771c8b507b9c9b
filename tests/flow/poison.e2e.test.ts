import { parseTerms } from '@rewardhook/rewards';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import { startWorkers } from '../harness/start-workers.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

jest.setTimeout(90_000);

let flow: Flow;
let shop: Merchant;
let workers: { close(): Promise<void> };
beforeAll(async () => {
  flow = await startFlow({ workers: false });
  // Longer than it takes to evaluate the 60 orders of a batch one by one on a busy machine: until then the sweeper leaves them to their worker.
  workers = await startWorkers(flow.environment, { sweepAfterSeconds: 12 });
});
afterAll(async () => {
  await workers?.close();
  await flow?.close();
});
beforeEach(async () => {
  shop = await flow.openMerchant();
});

const orderOf = (member_id: string) =>
  buildOrder({
    member_id,
    items: [
      {
        product_id: 'p',
        product_name: 'P',
        quantity: 1,
        price: 1_000,
        paid_amount: 1_000,
        sku: '',
        cancelled_at: null,
      },
      {
        product_id: 'q',
        product_name: 'Q',
        quantity: 1,
        price: 1_000,
        paid_amount: 1_000,
        sku: '',
        cancelled_at: '2026-11-10T10:00:00Z',
      },
    ],
  });
type Sent = ReturnType<typeof orderOf>;

const decided = async (orders: Sent[]) => {
  const rows = await flow.database.decision.findMany({
    where: { merchantId: shop.id, orderId: { in: orders.map(({ order_id }) => order_id) } },
    distinct: ['orderId'],
  });
  return rows.length;
};
const parked = async () => {
  const rows = await flow.database.dueBatch.findMany({
    where: { merchantId: shop.id, parkedAt: { not: null } },
  });
  return rows.flatMap(({ orderIds }) => orderIds).sort();
};
const explain = async (orderId: string) => {
  const path = `/api/open/orders/${orderId}/explain/`;
  const { status, body } = await flow.call(path, undefined, { method: 'GET', key: shop.secretKey });
  return { status, body };
};
/** Damages stored products so that no evaluation of the order can read them, or repairs them. */
const setItemAmount = (orderIds: string[], amount: string) => flow.database.$executeRaw`
  UPDATE orders SET items = jsonb_set(items, '{0,paid_amount}', ${amount}::jsonb)
  WHERE merchant_id = ${shop.id} AND order_id = ANY(${orderIds})`;

describe('Orders whose evaluation always fails', () => {
  it('are parked after a few jobs while the others of their batch are evaluated, and a retry evaluates them', async () => {
    const orders = Array.from({ length: 60 }, (_, index) => orderOf(`member-${index}`));
    await flow.syncAndSettle(shop, ...orders);
    const broken = [orders[7], orders[41]].map((order) => order?.order_id ?? '').sort();
    await setItemAmount(broken, '"much"');
    // One batch with all of them, as after linking a member.
    const jobsBefore = await flow.queues.ever('reward-evaluation');
    await flow.database.referral.createMany({
      data: orders.map(({ member_id }) => ({
        merchantId: shop.id,
        id: `ref_${member_id}`,
        refereeMemberId: member_id,
        referrerMemberId: 'ann',
        code: 'ANN',
        source: 'link',
        linkedAt: new Date(Date.now() - 60_000),
      })),
    });
    await waitFor(async () => (await parked()).length === 2, {
      deadlineMs: 40_000,
      what: 'the parked orders',
    });
    await waitFor(async () => (await decided(orders)) === 58, { what: 'the decisions of the others' });
    expect(await parked()).toEqual(broken);
    expect((await flow.queues.ever('reward-evaluation')) - jobsBefore).toBeLessThanOrEqual(3);

    const report = await flow.admin('doctor', {});
    expect(report).toMatchObject({ clean: false, faults: { evaluationsParked: 2 } });
    expect(report['parked']).toEqual([
      {
        merchantId: shop.id,
        orders: 2,
        examples: expect.arrayContaining([expect.any(String)]),
        since: expect.stringMatching(/^20.*Z$/),
        error: expect.stringContaining('much'),
      },
    ]);
    const explained = await explain(broken[0] ?? '');
    expect(explained.status).toBe(200);
    expect(explained.body.data).toMatchObject({
      evaluation_failed_since: expect.stringMatching(/Z$/),
      waits_for_evaluation: false,
    });

    await setItemAmount(broken, '1000');
    expect(await flow.admin('evaluation retry', { merchant: shop.id })).toEqual({ ordersRetried: 2 });
    await waitFor(async () => (await decided(orders)) === 60, { what: 'all decisions' });
    await waitFor(async () => (await parked()).length === 0);
    expect((await explain(broken[0] ?? '')).body.data).toMatchObject({ evaluation_failed_since: null });
  });

  it('are no longer parked when a newer version of them is evaluated', async () => {
    const order = orderOf('eve');
    await flow.syncAndSettle(shop, order);
    await setItemAmount([order.order_id], '"much"');
    await flow.link(shop, 'ann', 'eve');
    await waitFor(async () => (await parked()).length === 1, {
      deadlineMs: 40_000,
      what: 'the parked order',
    });
    await flow.sync(shop, order);
    await waitFor(async () => (await decided([order])) === 1, { what: 'the decision' });
    await waitFor(async () => (await parked()).length === 0, { what: 'nothing parked' });
  });

  it('do not result from amounts at the end of their range: 1,100 rewards of 2^53 - 1 points', async () => {
    await flow.link(shop, 'ann', 'rich');
    await flow.database.programVersion.create({
      data: {
        merchantId: shop.id,
        version: 2,
        programId: (await flow.database.program.findUniqueOrThrow({ where: { merchantId: shop.id } })).id,
        terms: parseTerms({
          trigger: 'every_order',
          referee: null,
          referrer: {
            type: 'points',
            unit: 'points',
            amount: { kind: 'fixed', value: Number.MAX_SAFE_INTEGER },
          },
          minimumPaidAmount: 0,
          earlierOrders: 'count',
        }) as object,
      },
    });
    const orders = Array.from({ length: 1_100 }, () => buildOrder({ member_id: 'rich' }));
    await flow.sync(shop, ...orders.slice(0, 1_000));
    await flow.sync(shop, ...orders.slice(1_000));
    const given = () => flow.database.reward.count({ where: { merchantId: shop.id } });
    await waitFor(async () => (await given()) === 1_100, { deadlineMs: 40_000, what: 'all rewards' });
    const { spent } = await flow.database.program.findUniqueOrThrow({ where: { merchantId: shop.id } });
    expect(spent.toFixed()).toBe(String(1_100n * BigInt(Number.MAX_SAFE_INTEGER)));
  });
});

describe('A time zone', () => {
  // Node accepts all of them. PostgreSQL rejects them or interprets them differently.
  it.each(['AET', 'CAT', 'SST', 'CET', 'EST5EDT', 'asia/seoul', '<+03>-3', 'Mars/Base', '+09:00'])(
    '%s is refused by the name of its field',
    async (timezone) => {
      await expect(flow.admin('merchant create', { name: 'Shop', timezone })).rejects.toThrow(/--timezone/);
    },
  );

  it('that PostgreSQL does not accept counts as UTC, stops no evaluation, and is reported by doctor', async () => {
    await flow.database.merchant.update({ where: { id: shop.id }, data: { timezone: 'AET' } });
    await flow.link(shop, 'ann', 'bob');
    const order = orderOf('bob');
    await flow.syncAndSettle(shop, order);
    expect(await decided([order])).toBe(1);
    expect((await explain(order.order_id)).status).toBe(200);
    const report = await flow.admin('doctor', {});
    expect(report).toMatchObject({
      clean: false,
      faults: { timeZonesUnknown: 1 },
      timeZones: [{ merchantId: shop.id, timezone: 'AET' }],
    });
  });
});
