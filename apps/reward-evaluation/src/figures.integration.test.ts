import fc from 'fast-check';
import {
  ActRefused,
  correctReward,
  enqueueOrdersOfReferral,
  eraseMember,
  insertReferral,
  mergeMembers,
  readFigures,
  rebuildFigures,
  reviewReferral,
} from '@rewardhook/database';
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

/** The figures of a day, from the base tables. */
function figuresOf(day: string, { rows, firstOrders, counted, rewards }: Awaited<ReturnType<typeof count>>) {
  const isOf = (time: Date | null) => time !== null && dayOf(time) === day;
  const sums = new Map<string, number>();
  const add = ({ type, unit }: { type: string; unit: string }, amount: number) =>
    sums.set(`${type} ${unit}`, (sums.get(`${type} ${unit}`) ?? 0) + amount);
  for (const reward of rewards) {
    if (isOf(reward.confirmedAt)) add(reward, Number(reward.amount));
    if (reward.state === 'revoked' && isOf(reward.endedAt)) add(reward, -Number(reward.amount));
  }
  const firsts = [...firstOrders.values()].filter((time) => isOf(new Date(time))).length;
  return {
    new_referrals: counted.filter(({ linkedAt }) => isOf(linkedAt)).length,
    first_orders: firsts,
    referred_revenue: rows
      .filter(({ orderDate }) => isOf(orderDate))
      .reduce((sum, { revenue }) => sum + Number(revenue), 0),
    cost: Object.fromEntries(
      [...sums].map(([kind, amount]) => [kind, [amount, firsts > 0 ? Math.round(amount / firsts) : null]]),
    ),
  };
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

  it('have the sums of the base tables on each day of the merchant', async () => {
    const days = Array.from({ length: 6 }, (_, ago) => dayOf(new Date(Date.now() + (1 - ago) * dayMs)));
    const ranges = days.map((from) => ({ from, until: dayOf(new Date(Date.parse(from) + dayMs)) }));
    await fc.assert(
      fc.asyncProperty(ruleArbitrary, historyArbitrary, async (rule, history) => {
        const merchantId = await scenario.openMerchant(rule);
        await play(merchantId, history);
        const base = await count(merchantId);
        const figures = await readFigures(scenario.database, merchantId, ranges);
        expect(
          figures.map(({ cost, ...rest }) => ({
            ...rest,
            cost: Object.fromEntries(
              cost.map((one) => [`${one.type} ${one.unit}`, [one.amount, one.each_first_order]]),
            ),
          })),
        ).toEqual(days.map((day) => figuresOf(day, base)));
      }),
      { numRuns: propertyCases(40) },
    );
  });
});
