import { buildOrder, waitFor } from '@rewardhook/testing';
import { startFlow, startWorkers, syncPath } from '../harness/index.ts';
import type { Flow, Merchant } from '../harness/index.ts';

describe('Fairness between merchants', () => {
  const limit = 6_000;
  let flow: Flow;
  let many: Merchant;
  let few: Merchant;
  beforeAll(async () => {
    flow = await startFlow({ workers: false, maxOrdersWaiting: limit });
    many = await flow.openMerchant();
    few = await flow.openMerchant();
  });
  let workers: Awaited<ReturnType<typeof startWorkers>> | undefined;
  afterEach(() => workers?.close());
  afterAll(() => flow.close());

  const orders = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, index) =>
      buildOrder({ order_id: `${prefix}-${index}`, member_id: `${prefix}-member-${index}`, items: [] }),
    );
  const send = (merchant: Merchant, count: number, prefix: string) =>
    flow.call(syncPath, { orders: orders(count, prefix) }, { key: merchant.secretKey });

  it('While workers are off a merchant may have orders waiting up to the limit, and others may send; the order that came last is stored first', async () => {
    for (const prefix of ['a', 'b', 'c']) expect((await send(many, 2_000, prefix)).status).toBe(202);
    const refused = await send(many, 1_000, 'd');
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      429,
      'rate_limited',
      '5',
    ]);
    expect((await send(few, 1, 'few')).status).toBe(202);
    expect(await flow.queues.pending('sync')).toBe(25);

    workers = await startWorkers(flow.environment);
    await flow.queues.settled();
    expect((await send(many, 1_000, 'd')).status).toBe(202);
    await flow.queues.settled();
    const count = (merchant: Merchant) => flow.database.order.count({ where: { merchantId: merchant.id } });
    expect([await count(many), await count(few)]).toEqual([7_000, 1]);
    // created_at is the time at which the storing transaction began.
    const [last] = await flow.database.order.findMany({ orderBy: { createdAt: 'desc' }, take: 1 });
    const order = await flow.database.order.findFirst({ where: { merchantId: few.id } });
    const before = { createdAt: { lt: order?.createdAt ?? new Date(0) } };
    // Two statements of 250 orders can begin at the same time.
    expect(await flow.database.order.count({ where: before })).toBeLessThanOrEqual(500);
    expect(order?.createdAt.getTime()).toBeLessThan(last?.createdAt.getTime() ?? 0);
  });

  it('The many orders of a merchant are evaluated while those of two others wait for a lock', async () => {
    workers = await startWorkers(flow.environment);
    const [one, other, free] = await Promise.all(Array.from({ length: 3 }, () => flow.openMerchant()));
    const shops = [one, other, free] as Merchant[];
    for (const shop of shops) await flow.link(shop, 'anna', 'ben');
    // More than 25 orders: a large transaction.
    const ofBen = orders(30, 'ben').map((order) => ({ ...order, member_id: 'ben' }));
    const decided = ({ id }: Merchant) => flow.database.decision.count({ where: { merchantId: id } });
    await flow.database.$transaction(
      async (tx) => {
        const held = [one?.id, other?.id];
        await tx.$queryRaw`SELECT 1 FROM referrals WHERE merchant_id = ANY(${held}) FOR UPDATE`;
        for (const shop of shops) await flow.sync(shop, ...ofBen);
        await waitFor(async () => (await decided(free as Merchant)) === 30, { what: 'the decisions' });
        expect(await Promise.all(shops.map(decided))).toEqual([0, 0, 30]);
      },
      { timeout: 30_000 },
    );
    await waitFor(async () => (await Promise.all(shops.map(decided))).every((count) => count === 30));
  });
});
