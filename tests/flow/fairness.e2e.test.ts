import { buildOrder } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import { startWorkers } from '../harness/start-workers.ts';
import { syncPath } from '../harness/call-api.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

describe('Fairness between merchants', () => {
  const limit = 2_300;
  let flow: Flow;
  let many: Merchant;
  let few: Merchant;
  beforeAll(async () => {
    flow = await startFlow({ workers: false, maxWaitingKib: limit });
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
    // A request of 1,000 orders without products has about 266 KiB.
    const prefixes = Array.from({ length: 8 }, (_, index) => `p${index}`);
    for (const prefix of prefixes) expect((await send(many, 1_000, prefix)).status).toBe(202);
    const refused = await send(many, 1_000, 'd');
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      429,
      'rate_limited',
      '5',
    ]);
    expect((await send(few, 1, 'few')).status).toBe(202);
    expect(await flow.queues.pending('sync')).toBe(9);

    workers = await startWorkers(flow.environment);
    await flow.queues.settled();
    expect((await send(many, 1_000, 'd')).status).toBe(202);
    await flow.queues.settled();
    const count = (merchant: Merchant) => flow.database.order.count({ where: { merchantId: merchant.id } });
    expect([await count(many), await count(few)]).toEqual([9_000, 1]);
    // created_at is the time at which the storing transaction began.
    const [last] = await flow.database.order.findMany({ orderBy: { createdAt: 'desc' }, take: 1 });
    const order = await flow.database.order.findFirst({ where: { merchantId: few.id } });
    const before = { createdAt: { lt: order?.createdAt ?? new Date(0) } };
    // Two statements of 1,000 orders can begin at the same time.
    expect(await flow.database.order.count({ where: before })).toBeLessThanOrEqual(2_000);
    expect(order?.createdAt.getTime()).toBeLessThan(last?.createdAt.getTime() ?? 0);
  });

  it('A limit of the merchant replaces the one of all in either direction', async () => {
    const [tight, unlimited] = [await flow.openMerchant(), await flow.openMerchant()];
    await flow.admin('merchant update', { merchant: tight.id, 'waiting-kib': '2048' });
    await flow.admin('merchant update', { merchant: unlimited.id, 'waiting-kib': '0' });
    const tooSmall = flow.admin('merchant update', { merchant: tight.id, 'waiting-kib': '2047' });
    await expect(tooSmall).rejects.toThrow('--waiting-kib must be 0, a number from 2048');
    const statuses = async (merchant: Merchant, prefix: string) => {
      const found: number[] = [];
      for (let request = 0; request < 9; request += 1)
        found.push((await send(merchant, 1_000, `${prefix}${request}`)).status);
      return found;
    };
    expect(await statuses(tight, 't')).toEqual([...Array<number>(7).fill(202), 429, 429]);
    expect(await statuses(unlimited, 'u')).toEqual(Array<number>(9).fill(202));
  });
});
