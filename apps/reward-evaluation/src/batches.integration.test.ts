import { evaluateBatch, sweepDueBatches } from '@rewardhook/database';
import type { Order } from '@rewardhook/contract';
import { defaultRule } from '@rewardhook/rewards';
import { decide } from './decide.ts';
import { openScenario } from '../testing/scenario.ts';
import type { Scenario } from '../testing/scenario.ts';

let scenario: Scenario;
let shop: string;
beforeAll(async () => (scenario = await openScenario()));
afterAll(() => scenario.close());
beforeEach(async () => (shop = await scenario.openMerchant(defaultRule)));

const order = (order_id: string, changes: Partial<Order> = {}): Order => ({
  order_id,
  member_id: 'ann',
  order_amount: 30_000,
  paid_amount: 30_000,
  shipping_amount: 0,
  order_date: '2026-11-01T00:00:00Z',
  first_order: false,
  paid_at: '2026-11-01T00:00:00Z',
  cancelled_at: null,
  returned_at: null,
  items: [],
  ...changes,
});
const batches = () =>
  scenario.database.dueBatch.findMany({ where: { merchantId: shop }, orderBy: { dueSince: 'asc' } });
const decisions = async (orderId: string) => {
  const found = await scenario.database.decision.findMany({
    where: { merchantId: shop, orderId },
    orderBy: { number: 'asc' },
  });
  return found.map(({ number, outcome, reason }) => [number, outcome, reason]);
};
const evaluateOrder = (batchId: string) => evaluateBatch(scenario.database, shop, batchId, decide);

describe('a batch of orders that wait', () => {
  it('is evaluated once, whatever the job of it comes to, and never again after a change of the program', async () => {
    await scenario.link(shop, 'boss', 'ann');
    await scenario.store(shop, 1, [order('o1', { paid_amount: 1_000 })]);
    const [batch] = await batches();
    expect(batch).toMatchObject({ orderIds: ['o1'], memberIds: ['ann'] });
    const [one, other] = await Promise.all([evaluateOrder(batch!.id), evaluateOrder(batch!.id)]);
    expect(one.decisions.length + other.decisions.length).toBe(1);
    await scenario.publish(shop, { ...defaultRule, minimumPaidAmount: 50_000 });
    expect(await evaluateOrder(batch!.id)).toEqual({ decisions: [], endpointIds: [], enqueued: [] });
    expect(await decisions('o1')).toEqual([[1, 'rewarded', 'rewarded']]);
  });

  it('outlives a judgement that fails, and is swept until it is evaluated', async () => {
    await scenario.link(shop, 'boss', 'ann');
    await scenario.store(shop, 1, [order('o1')]);
    const [batch] = await batches();
    const fails = evaluateBatch(scenario.database, shop, batch!.id, () => {
      throw new Error('killed');
    });
    await expect(fails).rejects.toThrow('killed');
    expect(await sweepDueBatches(scenario.database, 0, 1_000)).toContainEqual({
      merchantId: shop,
      batchId: batch!.id,
      orders: 1,
    });
    await evaluateOrder(batch!.id);
    expect(await batches()).toEqual([]);
    expect(await decisions('o1')).toEqual([[1, 'rewarded', 'rewarded']]);
  });

  it('does not let an order slip away to an unlinked member while it is evaluated: the reward is taken back', async () => {
    await scenario.link(shop, 'boss', 'ann');
    await scenario.store(shop, 1, [order('o1')]);
    const [batch] = await batches();
    let moving: Promise<unknown> | undefined;
    await evaluateBatch(scenario.database, shop, batch!.id, (due, program, use, now) => {
      moving = scenario.store(shop, 2, [order('o1', { member_id: 'stranger' })]);
      return decide(due, program, use, now);
    });
    await moving;
    await scenario.settle(shop);
    expect((await scenario.rewards(shop)).map(({ state }) => state)).toEqual(['revoked', 'revoked']);
  });

  it('holds the orders of linked members only, 1,000 at the most', async () => {
    await scenario.link(shop, 'boss', 'ann');
    const many = Array.from({ length: 2_203 }, (_, index) =>
      order(`o${index}`, { member_id: index < 2_201 ? 'ann' : 'x' }),
    );
    await scenario.store(shop, 1, many);
    const sizes = (await batches()).map(({ orderIds }) => orderIds.length).sort((one, other) => one - other);
    expect(sizes).toEqual([201, 1_000, 1_000]);
    await scenario.link(shop, 'boss', 'x');
    expect((await batches()).map(({ memberIds }) => memberIds)).toContainEqual(['x', 'x']);
  });

  it('leaves an order that has moved to another member to the batch that it came with', async () => {
    await scenario.link(shop, 'boss', 'ann');
    await scenario.link(shop, 'chief', 'ben');
    await scenario.store(shop, 1, [order('o1')]);
    const [first] = await batches();
    await scenario.store(shop, 2, [order('o1', { member_id: 'ben' })]);
    expect((await evaluateOrder(first!.id)).decisions).toEqual([]);
    await scenario.settle(shop);
    const rewards = await scenario.rewards(shop);
    expect(rewards.map(({ memberId }) => memberId).sort()).toEqual(['ben', 'chief']);
  });

  it('has the newest data evaluated even when its job is the last to run', async () => {
    await scenario.link(shop, 'boss', 'ann');
    await scenario.store(shop, 2, [order('o1', { cancelled_at: '2026-11-02T00:00:00Z' })]);
    await scenario.store(shop, 1, [order('o1')]);
    await scenario.settle(shop);
    expect(await scenario.rewards(shop)).toEqual([]);
    expect(await decisions('o1')).toEqual([[1, 'no_reward', 'cancelled']]);
  });

  it('takes a hold that is over once, however often it is looked for', async () => {
    shop = await scenario.openMerchant({ ...defaultRule, holdDays: 3 });
    await scenario.link(shop, 'boss', 'ann');
    await scenario.store(shop, 1, [order('o1')]);
    await scenario.settle(shop);
    await scenario.endHolds(shop);
    await Promise.all([scenario.endHolds(shop), scenario.endHolds(shop)]);
    expect(await batches()).toMatchObject([{ orderIds: ['o1'], endsHolds: true }]);
    await scenario.settle(shop);
    expect((await decisions('o1')).at(-1)).toEqual([2, 'confirmed', 'rewarded']);
  });
});
