import { buildOrder, waitFor } from '@rewardhook/testing';
import { waitForLocks } from '../../packages/database/src/fixtures/wait-for-locks.ts';
import { startFlow, startWorkers, syncPath } from '../harness/index.ts';
import type { Flow, Merchant } from '../harness/index.ts';

describe('Fairness between merchants', () => {
  const limit = 2_048;
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
    // A request of 1,000 orders without products has about 250 KiB.
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

  describe('While large transactions of other merchants wait for locks', () => {
    const decided = ({ id }: Merchant) => flow.database.decision.count({ where: { merchantId: id } });
    const ofBen = (from: number, count: number) =>
      orders(from + count, 'ben')
        .slice(from)
        .map((order) => ({ ...order, member_id: 'ben' }));
    // More than 25 orders: a large transaction.
    const large = 30;
    // A lock is waited for 10 s. What waits for one of these transactions needs as long.
    const deadlineMs = 5_000;

    /**
     * Opens `count` merchants whose referrals are locked, sends many orders of each, and calls `meanwhile` with a merchant
     * whose referral is not locked when `waiting` transactions wait for locks.
     */
    async function whileHeld(
      { count, waiting }: { count: number; waiting: number },
      meanwhile: (free: Merchant) => Promise<void>,
    ): Promise<void> {
      workers = await startWorkers(flow.environment);
      const free = await flow.openMerchant();
      const held = await Promise.all(Array.from({ length: count }, () => flow.openMerchant()));
      for (const shop of [free, ...held]) await flow.link(shop, 'anna', 'ben');
      await flow.database.$transaction(async (tx) => {
        const ids = held.map(({ id }) => id);
        await tx.$queryRaw`SELECT 1 FROM referrals WHERE merchant_id = ANY(${ids}) FOR UPDATE`;
        for (const shop of held) await flow.sync(shop, ...ofBen(0, large));
        await waitForLocks(flow.database, waiting);
        await meanwhile(free);
        expect(await Promise.all(held.map(decided))).toEqual(held.map(() => 0));
      });
      const all = async () => (await Promise.all(held.map(decided))).every((number) => number === large);
      await waitFor(all, { what: 'the decisions of the others' });
    }

    it('the many orders of another merchant are evaluated', () =>
      whileHeld({ count: 2, waiting: 2 }, async (free) => {
        await flow.sync(free, ...ofBen(0, large));
        await waitFor(async () => (await decided(free)) === large, { deadlineMs, what: 'the decisions' });
      }));

    it('single orders are evaluated although as many of the large ones wait as may run', () =>
      whileHeld({ count: 4, waiting: 3 }, async (free) => {
        const startedAt = performance.now();
        // Longer than it takes until another large transaction may begin.
        for (let sent = 0; performance.now() - startedAt < 1_000; sent += 1) {
          await flow.sync(free, ...ofBen(sent, 1));
          await waitFor(async () => (await decided(free)) === sent + 1, { deadlineMs, what: 'a decision' });
        }
      }));
  });
});
