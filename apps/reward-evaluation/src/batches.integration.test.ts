import { explainOrder } from '@rewardhook/database';
import { decide, enqueueEndedHolds, evaluateBatches, sweepDueBatches } from '@rewardhook/database/stages';
import type { Order, RewardEventData } from '@rewardhook/contract';
import { defaultTerms, parseTerms } from '@rewardhook/rewards';
import type { FlatTerms } from '@rewardhook/rewards';
import { connectWorker, disconnect, openProducer, openQueues, startWorker } from '@rewardhook/pipeline';
import type { Jobs, Producer } from '@rewardhook/pipeline';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { openScenario } from '../testing/scenario.ts';
import type { Scenario } from '../testing/scenario.ts';
import { testLog } from '../../../tests/harness/test-log.ts';
import { sweepDueOrders } from './sweepers.ts';

/** The orders have fixed dates. */
const rule: FlatTerms = { earlierOrders: 'count' };

let scenario: Scenario;
let merchant: string;
beforeAll(async () => (scenario = await openScenario()));
afterAll(() => scenario.close());
beforeEach(async () => (merchant = await scenario.openMerchant(rule)));

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
  currency: null,
  updated_at: null,
  items: [],
  ...changes,
});
const batches = () =>
  scenario.database.dueBatch.findMany({ where: { merchantId: merchant }, orderBy: { dueSince: 'asc' } });
const decisions = async (orderId: string) => {
  const found = await scenario.database.decision.findMany({
    where: { merchantId: merchant, orderId },
    orderBy: { number: 'asc' },
  });
  return found.map(({ number, outcome, reason }) => [number, outcome, reason]);
};
const evaluate = (batchId: string) => evaluateBatches(scenario.database, merchant, [batchId]);

describe('A batch of due orders', () => {
  it('is evaluated once, also by two jobs at the same time, and not again after a change of the program', async () => {
    await scenario.link(merchant, 'boss', 'ann');
    await scenario.store(merchant, 1, [order('o1', { paid_amount: 1_000 })]);
    const [batch] = await batches();
    expect(batch).toMatchObject({ orderIds: ['o1'], memberIds: ['ann'] });
    const [one, other] = await Promise.all([evaluate(batch!.id), evaluate(batch!.id)]);
    expect(one.decisions.length + other.decisions.length).toBe(1);
    await scenario.publish(merchant, { ...rule, minimumPaidAmount: 50_000 });
    expect(await evaluate(batch!.id)).toEqual({
      decisions: [],
      endpointIds: [],
      enqueued: [],
      claimed: [],
    });
    expect(await decisions('o1')).toEqual([[1, 'rewarded', 'rewarded']]);
  });

  it('shares a transaction with others, in which an order that is in two of them is evaluated once', async () => {
    for (const member of ['ann', 'bob']) await scenario.link(merchant, 'boss', member);
    await scenario.store(merchant, 1, [order('o1'), order('o2', { member_id: 'bob' })]);
    await scenario.store(merchant, 2, [order('o1', { paid_amount: 20_000 })]);
    await scenario.store(merchant, 3, [order('o3')]);
    const ids = (await batches()).map(({ id }) => id);
    expect(ids).toHaveLength(3);
    const both = await Promise.all(
      [ids, ids.toReversed()].map((some) => evaluateBatches(scenario.database, merchant, some)),
    );
    expect(both.flatMap(({ claimed }) => claimed.map(({ batchId }) => batchId)).toSorted()).toEqual(
      ids.toSorted(),
    );
    expect(await batches()).toEqual([]);
    expect(await decisions('o1')).toEqual([[1, 'rewarded', 'rewarded']]);
    expect(await decisions('o2')).toEqual([[1, 'rewarded', 'rewarded']]);
    expect(await decisions('o3')).toHaveLength(1);
    await scenario.checkInvariants(merchant);
  });

  it('is kept after a failed evaluation, and is swept until it is evaluated', async () => {
    await scenario.link(merchant, 'boss', 'ann');
    await scenario.store(merchant, 1, [order('o1')]);
    const [batch] = await batches();
    const fails = evaluateBatches(scenario.database, merchant, [batch!.id], {
      decideWith: () => {
        throw new Error('killed');
      },
    });
    await expect(fails).rejects.toThrow('killed');
    expect(await sweepDueBatches(scenario.database, 0, 1_000)).toContainEqual({
      merchantId: merchant,
      batchId: batch!.id,
      orders: 1,
    });
    await evaluate(batch!.id);
    expect(await batches()).toEqual([]);
    expect(await decisions('o1')).toEqual([[1, 'rewarded', 'rewarded']]);
  });

  it('revokes the reward of an order that moves to an unlinked member during its evaluation', async () => {
    await scenario.link(merchant, 'boss', 'ann');
    await scenario.store(merchant, 1, [order('o1')]);
    const [batch] = await batches();
    let moving: Promise<unknown> | undefined;
    await evaluateBatches(scenario.database, merchant, [batch!.id], {
      decideWith: (due, program, use, context) => {
        moving = scenario.store(merchant, 2, [order('o1', { member_id: 'stranger' })]);
        return decide(due, program, use, context);
      },
    });
    await moving;
    await scenario.settle(merchant);
    expect((await scenario.rewards(merchant)).map(({ state }) => state)).toEqual(['revoked', 'revoked']);
  });

  it('holds at most 100 orders, and only those of linked members', async () => {
    await scenario.link(merchant, 'boss', 'ann');
    const many = Array.from({ length: 223 }, (_, index) =>
      order(`o${index}`, { member_id: index < 221 ? 'ann' : 'x' }),
    );
    await scenario.store(merchant, 1, many);
    const sizes = (await batches()).map(({ orderIds }) => orderIds.length).sort((one, other) => one - other);
    expect(sizes).toEqual([21, 100, 100]);
    await scenario.link(merchant, 'boss', 'x');
    expect((await batches()).map(({ memberIds }) => memberIds)).toContainEqual(['x', 'x']);
  });

  it('leaves an order that moved to another member to the batch of its newer version', async () => {
    await scenario.link(merchant, 'boss', 'ann');
    await scenario.link(merchant, 'chief', 'ben');
    await scenario.store(merchant, 1, [order('o1')]);
    const [first] = await batches();
    await scenario.store(merchant, 2, [order('o1', { member_id: 'ben' })]);
    expect((await evaluate(first!.id)).decisions).toEqual([]);
    await scenario.settle(merchant);
    const rewards = await scenario.rewards(merchant);
    expect(rewards.map(({ memberId }) => memberId).sort()).toEqual(['ben', 'chief']);
  });

  it('is evaluated with the newest data when its job runs last', async () => {
    await scenario.link(merchant, 'boss', 'ann');
    await scenario.store(merchant, 2, [order('o1', { cancelled_at: '2026-11-02T00:00:00Z' })]);
    await scenario.store(merchant, 1, [order('o1')]);
    await scenario.settle(merchant);
    expect(await scenario.rewards(merchant)).toEqual([]);
    expect(await decisions('o1')).toEqual([[1, 'no_reward', 'cancelled']]);
  });

  it('is created once for an ended hold, however often the sweep runs', async () => {
    merchant = await scenario.openMerchant({ ...rule, holdDays: 3 });
    await scenario.link(merchant, 'boss', 'ann');
    await scenario.store(merchant, 1, [order('o1', { paid_at: new Date().toISOString() })]);
    await scenario.settle(merchant);
    await scenario.endHolds(merchant);
    await Promise.all([enqueueEndedHolds(scenario.database), enqueueEndedHolds(scenario.database)]);
    expect(await batches()).toMatchObject([{ orderIds: ['o1'] }]);
    await scenario.settle(merchant);
    expect((await decisions('o1')).at(-1)).toEqual([2, 'confirmed', 'rewarded']);
  });

  it('enqueues, when the first order is withdrawn, only the orders of the member that can be the first', async () => {
    await scenario.link(merchant, 'boss', 'ann');
    const day = (number: number) => ({ order_date: `2026-11-0${number}T00:00:00Z` });
    const first = order('first', day(1));
    await scenario.store(merchant, 1, [
      first,
      order('second', day(2)),
      order('third', day(3)),
      order('marked', { ...day(4), first_order: true }),
      order('unpaid', { ...day(1), paid_at: null }),
      order('unpaid and marked', { ...day(1), paid_at: null, first_order: true }),
    ]);
    await scenario.settle(merchant);
    await scenario.store(merchant, 2, [{ ...first, cancelled_at: '2026-11-05T00:00:00Z' }]);
    const [due] = await batches();
    await evaluate(due!.id);
    expect((await batches()).map(({ orderIds }) => orderIds)).toEqual([['first', 'second', 'marked']]);
    await scenario.settle(merchant);
    expect((await decisions('second')).at(-1)).toEqual([2, 'rewarded', 'rewarded']);
  });

  it('withdraws the rewards of all orders of a member in one transaction under every_order, and evaluates each once more', async () => {
    merchant = await scenario.openMerchant({ ...rule, trigger: 'every_order' });
    await scenario.link(merchant, 'boss', 'ann');
    const orders = Array.from({ length: 30 }, (_, index) => order(`o${index}`));
    await scenario.store(merchant, 1, orders);
    await scenario.settle(merchant);
    await scenario.store(
      merchant,
      2,
      orders.map((one) => ({ ...one, cancelled_at: '2026-11-05T00:00:00Z' })),
    );
    const [due] = await batches();
    const { decisions: withdrawn } = await evaluate(due!.id);
    expect(withdrawn.filter(({ outcome }) => outcome === 'withdrawn')).toHaveLength(30);
    const again = await batches();
    expect(again.flatMap(({ orderIds }) => orderIds)).toHaveLength(30);
    for (const { id } of again) await evaluate(id);
    expect(await batches()).toEqual([]);
  });

  it('gives the budget of a reward that it withdraws to the orders that it evaluates afterwards', async () => {
    const limited = { ...rule, trigger: 'every_order' as const, budget: 6_000 };
    merchant = await scenario.openMerchant(limited);
    await scenario.link(merchant, 'boss', 'ann');
    await scenario.store(merchant, 1, [order('earlier')]);
    await scenario.settle(merchant);
    await scenario.store(merchant, 2, [
      order('earlier', { returned_at: '2026-11-05T00:00:00Z' }),
      order('later', { order_date: '2026-11-02T00:00:00Z' }),
    ]);
    await scenario.settle(merchant);
    expect(await decisions('later')).toEqual([[1, 'rewarded', 'rewarded']]);
    await scenario.checkInvariants(merchant);
  });
});

/** Every order of these. */
const permutations = <T>(all: T[]): T[][] =>
  all.length < 2
    ? [all]
    : all.flatMap((one, index) => permutations(all.toSpliced(index, 1)).map((rest) => [one, ...rest]));

describe('Of several orders that count as the first', () => {
  const tenPercent = {
    type: 'points' as const,
    unit: 'points',
    amount: { kind: 'percent' as const, rate: 10, cap: null },
  };
  /** A role of which a small order earns nothing. */
  const onePercent = { ...tenPercent, amount: { ...tenPercent.amount, rate: 1 } };
  const day = (number: number) => ({ order_date: `2026-11-0${number}T00:00:00Z` });
  const marked = { first_order: true };
  const large = order('large', { ...day(1), paid_amount: 100_000 });
  const small = order('small', { ...day(2), ...marked, paid_amount: 10_000 });
  const abroad = order('abroad', { ...day(1), currency: 'USD' });

  it.each<{ title: string; orders: Order[]; live: string[]; benefits?: FlatTerms }>([
    {
      title: 'the earlier one has the reward, not the one that the merchant marks',
      orders: [large, small],
      live: ['large referee 10000', 'large referrer 10000'],
    },
    {
      title: 'a marked one has it when the earlier one earns nothing',
      orders: [abroad, small, order('later', { ...day(3), ...marked })],
      live: ['small referee 1000', 'small referrer 1000'],
    },
    {
      title: 'the smaller id has it when their dates are equal',
      orders: [order('b'), order('a'), order('B', { paid_amount: 20_000 })],
      live: ['B referee 2000', 'B referrer 2000'],
    },
    {
      title: 'the smaller id in bytes has it, also beside characters of two code units',
      orders: [order('\u{1f600}'), order('\u{ff0f}', { paid_amount: 20_000 })],
      live: ['\u{ff0f} referee 2000', '\u{ff0f} referrer 2000'],
    },
    {
      title: 'one that earns for a single role has it, and the other role gets nothing from a later one',
      orders: [order('tiny', { ...day(1), paid_amount: 90 }), small],
      benefits: { referrer: onePercent },
      live: ['tiny referee 9'],
    },
    {
      title: 'a later one has it once the earliest is cancelled, and not the marked one after it',
      orders: [
        abroad,
        { ...abroad, cancelled_at: '2026-11-05T00:00:00Z' },
        order('next', { ...day(2), paid_amount: 50_000 }),
        order('marked', { ...day(3), ...marked }),
      ],
      live: ['next referee 5000', 'next referrer 5000'],
    },
    {
      title: 'a marked one in between has it once the marked one before it gets a later date',
      orders: [
        abroad,
        order('moves', { ...day(2), ...marked, paid_amount: 40_000 }),
        order('moves', { ...day(4), ...marked, paid_amount: 40_000 }),
        order('between', { ...day(3), ...marked, paid_amount: 50_000 }),
      ],
      live: ['between referee 5000', 'between referrer 5000'],
    },
  ])('$title, in every order of arrival', async ({ orders, live, benefits }) => {
    const versions = orders.map((one, index) => ({ one, version: index + 1 }));
    for (const arrival of permutations(versions)) {
      merchant = await scenario.openMerchant({
        ...rule,
        referee: tenPercent,
        referrer: tenPercent,
        ...benefits,
      });
      await scenario.link(merchant, 'boss', 'ann');
      for (const { one, version } of arrival) {
        await scenario.store(merchant, version, [one]);
        await scenario.settle(merchant);
      }
      const found = (await scenario.rewards(merchant)).filter(({ state }) => state === 'confirmed');
      expect(found.map((reward) => `${reward.orderId} ${reward.role} ${reward.amount}`).toSorted()).toEqual(
        live,
      );
      await scenario.checkInvariants(merchant);
    }
  });

  it('the decision of today about the later one says that the earlier one takes its reward, before it is evaluated', async () => {
    await scenario.link(merchant, 'boss', 'ann');
    await scenario.store(merchant, 1, [small]);
    await scenario.settle(merchant);
    await scenario.store(merchant, 2, [large]);
    const explain = (id: string) => explainOrder(scenario.database, merchant, id);
    expect(await explain('small')).toMatchObject({
      decision: { outcome: 'rewarded' },
      today: { outcome: 'withdrawn', reason: 'not_first_order' },
    });
    expect((await explain('small'))?.today.checks).toContainEqual({
      ...{ check: 'earlier_first_order', value: 'large', threshold: null, passed: false },
    });
    await scenario.settle(merchant);
    expect(await decisions('small')).toEqual([
      [1, 'rewarded', 'rewarded'],
      [2, 'withdrawn', 'not_first_order'],
      [3, 'no_reward', 'already_rewarded'],
    ]);
    expect((await decisions('large')).at(-1)).toEqual([2, 'rewarded', 'rewarded']);
  });
});

describe('sweepDueOrders', () => {
  const stage = 'reward-evaluation';
  const prefix = `{sweepers-${process.pid}}`;

  const redis = connectWorker(String(process.env['TEST_REDIS_URL']), testLog);
  const queues = openQueues(redis, prefix, 1, [stage]);
  let evaluation: Producer<typeof stage>;
  /** A database of its own: a sweep finds the orders of all merchants. */
  let sweeping: Scenario;
  let merchantId: string;
  beforeAll(async () => {
    sweeping = await openScenario();
    evaluation = openProducer(stage, redis, prefix);
  });
  beforeEach(async () => {
    merchantId = await sweeping.openMerchant(defaultTerms);
    await sweeping.link(merchantId, 'boss', 'ann');
  });
  afterEach(async () => {
    await sweeping.settle(merchantId);
    for (const queue of queues) await queue.obliterate({ force: true });
  });
  afterAll(async () => {
    await evaluation.close();
    for (const queue of queues) await queue.close();
    await disconnect(redis);
    await sweeping.close();
  });

  /** Stores orders. Returns their batch, which has no job. */
  const storeBatch = async (version: number, count: number): Promise<Jobs[typeof stage]> => {
    const orders = Array.from({ length: count }, (_, index) =>
      buildOrder({ order_id: `v${version}-${index}`, member_id: 'ann' }),
    );
    await sweeping.store(merchantId, version, orders);
    const batch = await sweeping.database.dueBatch.findFirstOrThrow({
      where: { merchantId, orderIds: { has: `v${version}-0` } },
    });
    return { merchantId, batchId: batch.id, orders: count };
  };
  const sweep = (producer = evaluation) => sweepDueOrders(sweeping.database, producer, 0);
  const countJobs = async () => {
    const counts = await Promise.all(queues.map((queue) => queue.getJobCountByTypes()));
    return counts.reduce((sum, ofQueue) => sum + ofQueue, 0);
  };

  it('Orders that are due without a job are enqueued and counted once, and those with a waiting job are not counted', async () => {
    await evaluation.enqueue([await storeBatch(1, 1), await storeBatch(2, 30)]);
    await storeBatch(3, 2);
    await storeBatch(4, 40);
    expect(await sweep()).toBe(42);
    // Each batch has one job. There can be a fifth one: a referral that was made a moment ago may have been invisible to its orders.
    expect(await countJobs()).toBe(await sweeping.database.dueBatch.count({ where: { merchantId } }));
    expect(await sweep()).toBe(0);
  });

  it('Orders whose job runs or waits for a retry are not counted', async () => {
    let tries = 0;
    let fail = () => {};
    const worker = startWorker({
      stage,
      redis,
      prefix,
      concurrency: 1,
      async handle() {
        tries += 1;
        if (tries === 1) await new Promise<void>((resolve) => (fail = resolve));
        throw new Error('not yet');
      },
      isOutage: () => true,
      log: testLog,
      observe: () => undefined,
      onStuck: () => undefined,
    });
    try {
      await evaluation.enqueue([await storeBatch(1, 1)]);
      await waitFor(() => tries === 1, { what: 'the first try' });
      expect(await sweep()).toBe(0);
      fail();
      await waitFor(() => queues[0]?.getDelayedCount(), { everyMs: 5, what: 'the retry delay' });
      expect(await sweep()).toBe(0);
    } finally {
      fail();
      await worker.close();
    }
  });

  it('Orders that are evaluated during the sweep are not counted', async () => {
    await storeBatch(1, 1);
    const evaluating: Producer<typeof stage> = {
      ...evaluation,
      async findMissing(jobs) {
        await sweeping.settle(merchantId);
        return evaluation.findMissing(jobs);
      },
    };
    expect(await sweep(evaluating)).toBe(0);
  });
});

describe('Under several rules', () => {
  const points = (value: number, validDays: number | null = null) => ({
    ...{ type: 'points' as const, unit: 'points', amount: { kind: 'fixed' as const, value }, validDays },
  });
  const percent = { type: 'points', unit: 'points', amount: { kind: 'percent', rate: 10 } };
  const products = { exclude: { labels: ['gift-card'] } };
  const terms = parseTerms({
    rules: [
      {
        ...{ id: 'november', referee: points(5_000, 90), referrer: percent, minimumPaidAmount: 30_000 },
        ...{ orderedFrom: '2026-11-01T00:00:00Z', orderedUntil: '2026-11-04T00:00:00Z', products },
        ...{ earlierOrders: 'count', orderLabels: { none: ['wholesale'] } },
      },
      {
        ...{ id: 'base', trigger: 'every_order', referee: points(1_000), referrer: null, products },
        ...{ earlierOrders: 'count', orderLabels: { none: ['wholesale'] } },
      },
    ],
  });
  const day = (number: number) => ({ order_date: `2026-11-0${number}T00:00:00Z` });
  const product = (paid_amount: number, labels: string[] = []) => ({
    ...{ product_id: 'p', product_name: 'P', quantity: 1, price: paid_amount, paid_amount, sku: '' },
    ...{ cancelled_at: null, labels },
  });
  const of = (id: string, number: number, paid_amount: number, changes: Partial<Order> = {}) =>
    order(id, { ...day(number), paid_amount, items: [product(paid_amount)], ...changes });
  const cancelled = { cancelled_at: '2026-11-05T00:00:00Z' };

  it.each<{ title: string; orders: Order[]; live: string[] }>([
    {
      title: 'the first rule rewards the first order, and the next one the others',
      orders: [of('a', 1, 50_000), of('b', 2, 50_000), of('c', 5, 50_000)],
      live: [
        'a referee november 5000',
        'a referrer november 5000',
        'b referee base 1000',
        'c referee base 1000',
      ],
    },
    {
      title: 'a marked order has the reward of the first one while that one is too small for it',
      orders: [of('a', 1, 10_000), of('b', 2, 50_000, { first_order: true })],
      live: ['a referee base 1000', 'b referee november 5000', 'b referrer november 5000'],
    },
    {
      title: 'the second order has it once the first one is cancelled',
      orders: [of('a', 1, 50_000), of('b', 2, 40_000), of('a', 1, 50_000, cancelled)],
      live: ['b referee november 5000', 'b referrer november 4000'],
    },
    {
      title:
        'it moves to an earlier order that is corrected to be large enough, and the other one has that of the next rule',
      orders: [of('a', 1, 10_000), of('b', 2, 50_000, { first_order: true }), of('a', 1, 30_000)],
      live: ['a referee november 5000', 'a referrer november 3000', 'b referee base 1000'],
    },
    {
      title: 'amounts are those of eligible products, and labels exclude orders',
      orders: [
        of('a', 1, 80_000, { items: [product(40_000), product(60_000, ['gift-card'])] }),
        of('b', 2, 50_000, { items: [product(50_000, ['gift-card'])] }),
        of('c', 3, 50_000, { labels: ['wholesale'] }),
      ],
      live: ['a referee november 5000', 'a referrer november 3200'],
    },
  ])('$title, in every order of arrival', async ({ orders, live }) => {
    const versions = orders.map((one, index) => ({ one, version: index + 1 }));
    for (const arrival of permutations(versions)) {
      merchant = await scenario.openMerchant(terms);
      await scenario.link(merchant, 'boss', 'ann');
      for (const { one, version } of arrival) {
        await scenario.store(merchant, version, [one]);
        await scenario.settle(merchant);
      }
      const found = (await scenario.rewards(merchant)).filter(({ state }) => state === 'confirmed');
      expect(
        found.map(({ orderId, role, rule: id, amount }) => `${orderId} ${role} ${id} ${amount}`).toSorted(),
      ).toEqual(live);
      await scenario.checkInvariants(merchant);
    }
  });

  it('events and decisions name the rule, and points that expire have their end', async () => {
    merchant = await scenario.openMerchant(terms);
    await scenario.link(merchant, 'boss', 'ann');
    await scenario.store(merchant, 1, [of('a', 1, 50_000), of('b', 2, 10_000)]);
    await scenario.settle(merchant);
    const events = await scenario.database.event.findMany({ where: { merchantId: merchant } });
    const bodies = events.map(({ body }) => JSON.parse(body) as { data: RewardEventData });
    const ofReferee = bodies.find(({ data }) => data.order.order_id === 'a' && data.role === 'referee')?.data;
    const { confirmedAt } = await scenario.database.reward.findFirstOrThrow({
      where: { merchantId: merchant, orderId: 'a', role: 'referee' },
    });
    expect(ofReferee?.program.rule).toBe('november');
    expect(ofReferee?.reward.valid_days).toBe(90);
    expect(Date.parse(ofReferee?.reward.expires_at ?? '')).toBe(Number(confirmedAt) + 90 * 86_400_000);
    const other = bodies.find(({ data }) => data.order.order_id === 'b')?.data;
    expect([other?.program.rule, other?.reward]).toEqual([
      'base',
      { id: other?.reward.id, type: 'points', amount: 1_000, unit: 'points' },
    ]);
    const explained = await explainOrder(scenario.database, merchant, 'b');
    expect(explained?.decision).toMatchObject({ rule: 'base', reason: 'rewarded' });
    expect(explained?.decision.checks.filter((check) => check.rule)).toEqual([
      { check: 'minimum_paid_amount', value: 10_000, threshold: 30_000, passed: false, rule: 'november' },
    ]);
  });
});
