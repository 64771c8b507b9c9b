import fc from 'fast-check';
import {
  ActRefused,
  correctReward,
  enqueueOrdersOfReferral,
  eraseMember,
  insertReferral,
  mergeMembers,
  readFigures,
  readTopReferrers,
  readVersionFigures,
  rebuildFigures,
  reviewReferral,
  sumFigures,
} from '@rewardhook/database';
import type { CostRow, FiguresRow } from '@rewardhook/database';
import { newId } from '@rewardhook/contract';
import { propertyCases } from '@rewardhook/testing/property-cases';
import { orderArbitrary, ruleArbitrary } from '../testing/model.ts';
import { openScenario } from '../testing/scenario.ts';
import type { Scenario } from '../testing/scenario.ts';

// Many histories, each against PostgreSQL.
jest.setTimeout(180_000);

let scenario: Scenario;
beforeAll(async () => (scenario = await openScenario()));
afterAll(() => scenario.close());

const members = ['ann', 'ben', 'cat'] as const;
const member = fc.constantFrom(...members);
const referrer = fc.constantFrom('rex', 'roy', 'ann');
const which = fc.nat(20);

const commandArbitrary = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      version: fc.integer({ min: 1, max: 1_000_000_000 }),
      order: fc.tuple(orderArbitrary, member).map(([order, memberId]) => ({ ...order, member_id: memberId })),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('link' as const),
      referrer,
      referee: member,
      source: fc.constantFrom('boot' as const, 'link' as const),
      needsReview: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      referrer,
      referee: member,
      fromOrder: fc.boolean(),
      which,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('merge' as const),
      from: member,
      into: fc.oneof(member, referrer),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('review' as const),
      which,
      decision: fc.constantFrom('accepted' as const, 'rejected' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('correct' as const),
      act: fc.constantFrom('grant' as const, 'adjust' as const, 'revoke' as const),
      which,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('publish' as const), rule: ruleArbitrary }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), member }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('endHolds' as const, 'reachPayments' as const) }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('evaluate' as const) }) },
);
type Command = typeof commandArbitrary extends fc.Arbitrary<infer T> ? T : never;

const historyArbitrary = fc.array(commandArbitrary, { minLength: 10, maxLength: 30, size: 'max' });

const act = () => ({ by: 'operator', reason: 'a test', key: newId('evt') });

/** Does what a person or a shop may do at any moment; what is refused then changes nothing. */
async function apply(merchantId: string, command: Command): Promise<void> {
  const { database } = scenario;
  const pick = <T>(rows: T[], index: number): T | undefined => rows[index % Math.max(1, rows.length)];
  switch (command.kind) {
    case 'send':
      return scenario.store(merchantId, command.version, [command.order]);
    case 'link': {
      const { referrer: referrerMemberId, referee: refereeMemberId, source, needsReview } = command;
      const link = { merchantId, referrerMemberId, refereeMemberId, source, needsReview, flags: [] };
      const { referral } = await insertReferral(database, link);
      await enqueueOrdersOfReferral(database, merchantId, referral);
      return;
    }
    case 'move': {
      const { referrer: to, referee, fromOrder } = command;
      const orders = await database.order.findMany({
        where: { merchantId, memberId: referee },
        orderBy: { orderId: 'asc' },
      });
      await scenario.move(
        merchantId,
        to,
        referee,
        (fromOrder && pick(orders, command.which)?.orderId) || null,
      );
      return;
    }
    case 'merge':
      await scenario.settle(merchantId);
      await mergeMembers(database, { merchantId, from: command.from, into: command.into, ...act() });
      return;
    case 'review': {
      const referrals = await database.referral.findMany({
        where: { merchantId, review: 'pending' },
        orderBy: { id: 'asc' },
      });
      const referralId = pick(referrals, command.which)?.id ?? '';
      await reviewReferral(database, { merchantId, referralId, decision: command.decision, by: 'operator' });
      return;
    }
    case 'correct': {
      const rewards = await database.reward.findMany({ where: { merchantId }, orderBy: { id: 'asc' } });
      const { id: rewardId = '', orderId = '' } = pick(rewards, command.which) ?? {};
      const change = { rewardId, amount: 700 + command.which, exceedLimits: true };
      const grant = {
        orderId,
        role: 'referee',
        type: 'points',
        unit: 'points',
        amount: 500,
        exceedLimits: true,
        another: true,
      } as const;
      const request = {
        grant: { kind: 'grant' as const, ...grant },
        adjust: { kind: 'adjust' as const, ...change },
        revoke: { kind: 'revoke' as const, rewardId },
      }[command.act];
      await correctReward(database, { merchantId, request, ...act() });
      return;
    }
    case 'publish':
      await scenario.publish(merchantId, command.rule);
      return;
    case 'erase':
      await scenario.settle(merchantId);
      await eraseMember(database, merchantId, command.member, { cancelDeliveries: true });
      return;
    case 'endHolds':
      return scenario.endHolds(merchantId);
    case 'reachPayments':
      return scenario.reachPayments(merchantId);
    case 'evaluate':
      return scenario.evaluateSome(merchantId);
  }
}

async function play(merchantId: string, history: Command[]): Promise<void> {
  for (const command of history)
    await apply(merchantId, command).catch((error: unknown) => {
      if (!(error instanceof ActRefused)) throw error;
    });
  await scenario.settle(merchantId);
}

const dayMs = 86_400_000;

interface Item {
  cancelled_at: string | null;
  paid_amount: number;
}

/** What the figures count, from the base tables and in the words of decision 107. */
async function count(merchantId: string) {
  const { database } = scenario;
  const where = { merchantId };
  const [orders, referrals, rewards, decisions] = await Promise.all([
    database.order.findMany({ where, orderBy: { orderId: 'asc' } }),
    database.referral.findMany({ where, orderBy: { id: 'asc' } }),
    database.reward.findMany({ where }),
    database.decision.findMany({ where, orderBy: { number: 'asc' } }),
  ]);
  const counted = referrals.filter(
    ({ ended, review, hadOrderBefore }) => ended === null && review !== 'rejected' && !hadOrderBefore,
  );
  const rows = orders.flatMap((order) => {
    const { orderId, orderDate, shippingAmount } = order;
    const referral = counted.find(({ refereeMemberId }) => refereeMemberId === order.memberId);
    const items = order.items as unknown as Item[];
    const kept = items.filter(({ cancelled_at: cancelled }) => cancelled === null);
    const isGone = order.cancelledAt ?? order.returnedAt ?? (items.length > 0 && kept.length === 0);
    const isPaid = order.paidAt !== null && order.countsAsPaidAt === null && !isGone;
    if (!referral || !isPaid || order.currency !== null) return [];
    const earliest = Number(referral.linkedAt) - (referral.fromOrderId === null ? dayMs : 0);
    const hasEarned = rewards.some(
      (one) =>
        one.orderId === orderId &&
        ['pending', 'confirmed'].includes(one.state) &&
        !one.subject.startsWith('manual:'),
    );
    if (Number(orderDate) < earliest && !hasEarned) return [];
    const rest = kept.reduce((sum, item) => sum + BigInt(item.paid_amount), shippingAmount);
    const paid = kept.length < items.length && rest < order.paidAmount ? rest : order.paidAmount;
    const revenue = paid > shippingAmount ? paid - shippingAmount : 0n;
    const programVersion = decisions.findLast((one) => one.orderId === orderId)?.programVersion;
    return [{ merchantId, orderId, orderDate, referralId: referral.id, programVersion, revenue }];
  });
  const firstOrders = new Map<string, number>();
  for (const { referralId, orderDate } of rows)
    firstOrders.set(referralId, Math.min(Number(orderDate), firstOrders.get(referralId) ?? Infinity));
  return { rows, firstOrders, counted, rewards };
}

async function stored(merchantId: string) {
  const { database } = scenario;
  const found = await database.referredOrder.findMany({
    where: { merchantId },
    orderBy: { orderId: 'asc' },
  });
  const rows = found.map(({ isFirst: _first, ...row }) => row);
  const firsts = found.filter(({ isFirst }) => isFirst);
  const firstOrders = new Map(firsts.map(({ referralId, orderDate }) => [referralId, Number(orderDate)]));
  // One of each referral.
  expect(firsts).toHaveLength(firstOrders.size);
  return { rows, firstOrders };
}

/** The day of a time in Seoul, which has no daylight saving time. */
const dayOf = (time: Date) => new Date(Number(time) + 9 * 3_600_000).toISOString().slice(0, 10);

type Base = Awaited<ReturnType<typeof count>>;

/** What rewards add to the cost by kind and unit: amount, number, and amount for each first order. */
function costOf(changes: { reward: Base['rewards'][number]; sign: number }[], firsts: number) {
  const sums = new Map<string, [amount: number, rewards: number]>();
  for (const { reward, sign } of changes) {
    const kind = `${reward.type} ${reward.unit}`;
    const [amount, rewards] = sums.get(kind) ?? [0, 0];
    sums.set(kind, [amount + sign * Number(reward.amount), rewards + sign]);
  }
  return Object.fromEntries(
    [...sums].map(([kind, [amount, rewards]]) => [
      kind,
      [amount, rewards, firsts > 0 ? Math.round(amount / firsts) : null],
    ]),
  );
}

const changesWhere = ({ rewards }: Base, isOf: (time: Date | null) => boolean) =>
  rewards.flatMap((reward) => [
    ...(isOf(reward.confirmedAt) ? [{ reward, sign: 1 }] : []),
    ...(reward.state === 'revoked' && isOf(reward.endedAt) ? [{ reward, sign: -1 }] : []),
  ]);

const sum = (values: number[]) => values.reduce((all, value) => all + value, 0);

/** The figures of some days, from the base tables. */
function figuresOf(days: string[], base: Base) {
  const isOf = (time: Date | null) => time !== null && days.includes(dayOf(time));
  const firsts = [...base.firstOrders.values()].filter((time) => isOf(new Date(time))).length;
  const changes = changesWhere(base, isOf);
  return {
    clicks: sum(days.map(clicksOf)),
    new_referrals: base.counted.filter(({ linkedAt }) => isOf(linkedAt)).length,
    first_orders: firsts,
    referred_revenue: sum(
      base.rows.filter(({ orderDate }) => isOf(orderDate)).map(({ revenue }) => Number(revenue)),
    ),
    rewards: sum(changes.map(({ sign }) => sign)),
    cost: costOf(changes, firsts),
  };
}

const withCost = <Row extends { cost: CostRow[] }>({ cost, ...rest }: Row) => ({
  ...rest,
  cost: Object.fromEntries(
    cost.map((one) => [`${one.type} ${one.unit}`, [one.amount, one.rewards, one.each_first_order]]),
  ),
});

/** The first orders of some days: of each referral the earliest one; of several with one date, the one with the smallest id. */
function firstOrdersOf({ rows, firstOrders }: Base) {
  const firsts = [...firstOrders].map(([referral, time]) =>
    rows.find(({ referralId, orderDate }) => referralId === referral && Number(orderDate) === time),
  );
  return new Set(firsts.map((row) => row?.orderId));
}

/** The figures of each version in some days, newest first, from the base tables. */
function versionsOf(days: string[], base: Base) {
  const isOf = (time: Date | null) => time !== null && days.includes(dayOf(time));
  const orders = base.rows.filter(({ orderDate }) => isOf(orderDate));
  const changes = changesWhere(base, isOf);
  const firsts = firstOrdersOf(base);
  const versions = new Set([
    ...orders.map(({ programVersion }) => programVersion),
    ...changes.map(({ reward }) => reward.programVersion),
  ]);
  return [...versions]
    .toSorted((one, other) => Number(other) - Number(one))
    .map((version) => {
      const own = orders.filter(({ programVersion }) => programVersion === version);
      const of = changes.filter(({ reward }) => reward.programVersion === version);
      const firstOrders = own.filter(({ orderId }) => firsts.has(orderId)).length;
      return {
        version,
        orders: own.length,
        first_orders: firstOrders,
        referred_revenue: sum(own.map(({ revenue }) => Number(revenue))),
        rewards: sum(of.map(({ sign }) => sign)),
        cost: costOf(of, firstOrders),
      };
    });
}

/** The referrers of some days, from the base tables. */
function referrersOf(days: string[], base: Base) {
  const firsts = firstOrdersOf(base);
  const found = new Map<string, { first_orders: number; orders: number; referred_revenue: number }>();
  for (const { orderId, orderDate, referralId, revenue } of base.rows) {
    if (!days.includes(dayOf(orderDate))) continue;
    const id = base.counted.find((referral) => referral.id === referralId)?.referrerMemberId ?? '';
    const before = found.get(id) ?? { first_orders: 0, orders: 0, referred_revenue: 0 };
    found.set(id, {
      first_orders: before.first_orders + Number(firsts.has(orderId)),
      orders: before.orders + 1,
      referred_revenue: before.referred_revenue + Number(revenue),
    });
  }
  return [...found]
    .map(([id, row]) => ({ member_id: id, ...row }))
    .toSorted(
      (one, other) =>
        other.first_orders - one.first_orders ||
        other.referred_revenue - one.referred_revenue ||
        (one.member_id < other.member_id ? -1 : 1),
    );
}

/** A number of clicks that differs from day to day. */
const clicksOf = (day: string) => Number(day.slice(-2));

/** Stores the clicks of each day, in its first and its last quarter-hour in Seoul. */
async function storeClicks(merchantId: string, days: string[]): Promise<void> {
  for (const day of days) {
    const midnight = Date.parse(`${day}T00:00:00+09:00`);
    const counts = [
      { startsAt: new Date(midnight), total: 1 },
      { startsAt: new Date(midnight + dayMs - 900_000), total: clicksOf(day) - 1 },
    ];
    await scenario.database.clickCount.createMany({
      data: counts.map((one) => ({ merchantId, ...one })),
    });
  }
}

describe('The rows behind the figures, for random histories in any order', () => {
  it('are those that follow from orders, referrals and rewards, and a rebuild finds them right', async () => {
    await fc.assert(
      fc.asyncProperty(ruleArbitrary, historyArbitrary, async (rule, history) => {
        const merchantId = await scenario.openMerchant(rule);
        await play(merchantId, history);
        const { rows, firstOrders } = await count(merchantId);
        expect(await stored(merchantId)).toEqual({ rows, firstOrders });
        expect(await rebuildFigures(scenario.database, merchantId)).toMatchObject({
          rowsWritten: 0,
          rowsRemoved: 0,
          firstOrdersChanged: 0,
        });
      }),
      { numRuns: propertyCases(200) },
    );
  });

  it('are written again by a rebuild, whatever they were', async () => {
    const { database } = scenario;
    await fc.assert(
      fc.asyncProperty(ruleArbitrary, historyArbitrary, fc.boolean(), async (rule, history, empty) => {
        const merchantId = await scenario.openMerchant(rule);
        await play(merchantId, history);
        if (empty) await database.referredOrder.deleteMany({ where: { merchantId } });
        else
          await database.execute(
            `INSERT INTO referred_orders (merchant_id, order_id, order_date, referral_id, program_version, revenue, is_first)
             SELECT merchant_id, order_id, now(), 'ref_of_nobody', 1, 1, true FROM orders WHERE merchant_id = $1
             ON CONFLICT (merchant_id, order_id) DO UPDATE SET is_first = NOT referred_orders.is_first,
               referral_id = CASE WHEN referred_orders.revenue > 20000 THEN excluded.referral_id ELSE referred_orders.referral_id END`,
            [merchantId],
          );
        await rebuildFigures(database, merchantId);
        const { rows, firstOrders } = await count(merchantId);
        expect(await stored(merchantId)).toEqual({ rows, firstOrders });
      }),
      { numRuns: propertyCases(40) },
    );
  });

  it('have the sums of the base tables on each day of the merchant, and by version and referrer', async () => {
    const { database } = scenario;
    const days = Array.from({ length: 6 }, (_, ago) => dayOf(new Date(Date.now() + (ago - 4) * dayMs)));
    const after = (day: string) => dayOf(new Date(Date.parse(day) + dayMs));
    const ranges = days.map((from) => ({ from, until: after(from) }));
    const all = { from: days[0] ?? '', until: ranges.at(-1)?.until ?? '' };
    await fc.assert(
      fc.asyncProperty(ruleArbitrary, historyArbitrary, async (rule, history) => {
        const merchantId = await scenario.openMerchant(rule);
        await storeClicks(merchantId, days);
        await play(merchantId, history);
        const base = await count(merchantId);
        const figures = await readFigures(database, merchantId, ranges);
        expect(figures.map(withCost)).toEqual(days.map((day) => figuresOf([day], base)));
        const [inAll] = (await readFigures(database, merchantId, [all])) as [FiguresRow];
        expect(withCost(inAll)).toEqual(figuresOf(days, base));
        // A kind whose amounts cancel each other out on a day is a row of that day.
        expect(sumFigures(figures)).toEqual(inAll);
        const versions = await readVersionFigures(database, merchantId, all);
        expect(versions.map(withCost)).toEqual(versionsOf(days, base));
        expect(await readTopReferrers(database, merchantId, all, 10)).toEqual(referrersOf(days, base));
      }),
      { numRuns: propertyCases(40) },
    );
  });
});
