import type { Order } from '@rewardhook/contract';
import { defaultRule } from '@rewardhook/rewards';
import type { ProgramRule } from '@rewardhook/rewards';
import { publishProgram } from '@rewardhook/database';
import { buildOrder, hoursAgo } from '@rewardhook/testing';
import { linkPath } from '../harness/call-api.ts';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

const rule: ProgramRule = { ...defaultRule, earlierOrders: 'count' };

interface EarlierOrders {
  orders: {
    order_id: string;
    rewards: { role: string; member_id: string; amount: number; unit: string }[];
  }[];
  totals: { unit: string; amount: number }[];
  complete: boolean;
}

let flow: Flow;
let merchant: Merchant;
beforeAll(async () => (flow = await startFlow()));
beforeEach(async () => {
  merchant = await flow.openMerchant();
  await publishProgram(flow.database, merchant.id, rule);
});
afterAll(() => flow.close());

const link = (body: object = {}) =>
  flow.call(
    linkPath,
    { referrer_member_id: 'ann', referee_member_id: 'bob', ...body },
    { key: merchant.secretKey },
  );
const earlierOrders = ({ body }: Awaited<ReturnType<typeof link>>) =>
  body.data['earlier_orders'] as EarlierOrders;
const rewards = async () =>
  (await flow.database.reward.findMany({ where: { merchantId: merchant.id, state: 'confirmed' } }))
    .map(({ orderId, memberId, amount }) => `${orderId} ${memberId} ${amount}`)
    .toSorted((one, other) => one.localeCompare(other));
const asRewards = ({ orders }: EarlierOrders) =>
  orders
    .flatMap(({ order_id, rewards: given }) =>
      given.map(({ member_id, amount }) => `${order_id} ${member_id} ${amount}`),
    )
    .toSorted((one, other) => one.localeCompare(other));

describe('The response of a link', () => {
  it('says what the orders from before earn, as the evaluator then decides', async () => {
    await flow.syncAndSettle(
      merchant,
      buildOrder({ order_id: 'second', member_id: 'bob', order_date: '2026-11-02T00:00:00Z' }),
      buildOrder({ order_id: 'first', member_id: 'bob', order_date: '2026-11-01T00:00:00Z' }),
    );
    const dry = await link({ dry_run: true });
    expect([dry.status, dry.body.data['dry_run']]).toEqual([200, true]);
    expect(earlierOrders(dry).totals).toEqual([{ unit: 'points', amount: 6_000 }]);
    await flow.queues.settled();
    expect([
      await rewards(),
      await flow.database.referral.count({ where: { merchantId: merchant.id } }),
    ]).toEqual([[], 0]);
    const linked = await link();
    expect([linked.status, linked.body.data['dry_run']]).toEqual([201, false]);
    expect(earlierOrders(linked)).toEqual(earlierOrders(dry));
    await flow.queues.settled();
    expect(await rewards()).toEqual(['first ann 3000', 'first bob 3000']);
    expect(asRewards(earlierOrders(dry))).toEqual(await rewards());
    const again = await link();
    expect([again.status, earlierOrders(again)]).toEqual([200, { orders: [], totals: [], complete: true }]);
  });

  it('lists no order under a rule that ignores earlier orders, and explain says so', async () => {
    await publishProgram(flow.database, merchant.id, defaultRule);
    const [old, recent] = [48, 20].map((hours) =>
      buildOrder({ member_id: 'bob', first_order: true, order_date: hoursAgo(hours) }),
    ) as [Order, Order];
    await flow.syncAndSettle(merchant, old);
    expect(earlierOrders(await link())).toEqual({ orders: [], totals: [], complete: true });
    await flow.queues.settled();
    expect(await rewards()).toEqual([]);
    const path = `/api/open/orders/${old.order_id}/explain/`;
    const explained = await flow.call(path, undefined, { method: 'GET', key: merchant.secretKey });
    expect(explained.body).toMatchObject({
      data: {
        decision: { reason: 'before_link' },
        counterfactual: expect.stringContaining('if it had been placed after the member was linked'),
      },
    });
    await flow.syncAndSettle(merchant, recent);
    expect(await rewards()).toHaveLength(2);
  });

  it('lists at most 20 orders and adds up all of them, within the limits of the program', async () => {
    await publishProgram(flow.database, merchant.id, {
      ...rule,
      trigger: 'every_order',
      referrerCap: { total: 5, month: null },
      budget: 100_000,
    });
    const dates = Array.from(
      { length: 30 },
      (_, day) => `2026-10-${String(day + 1).padStart(2, '0')}T00:00:00Z`,
    );
    await flow.syncAndSettle(
      merchant,
      ...dates.map((order_date, index) =>
        buildOrder({ order_id: `o${index}`, member_id: 'bob', order_date }),
      ),
    );
    const preview = earlierOrders(await link());
    await flow.queues.settled();
    expect(preview.orders.map(({ order_id: id }) => id)).toEqual(
      dates.slice(0, 20).map((_, index) => `o${index}`),
    );
    const given = await flow.database.reward.findMany({
      where: { merchantId: merchant.id, state: 'confirmed' },
    });
    const sum = given.reduce((total, { amount }) => total + Number(amount), 0);
    expect(preview.totals).toEqual([{ unit: 'points', amount: sum }]);
    expect(given.filter(({ role }) => role === 'referrer')).toHaveLength(5);
  });

  it('is refused in a dry run as it would be', async () => {
    await link();
    expect((await link({ referrer_member_id: 'eve', dry_run: true })).status).toBe(409);
    const cycle = await link({ referrer_member_id: 'bob', referee_member_id: 'ann', dry_run: true });
    expect([cycle.status, cycle.body.code]).toEqual([409, 'referral_cycle']);
    expect((await link({ dry_run: 'yes' })).body.params).toEqual({ dry_run: 'must be true or false' });
  });
});
