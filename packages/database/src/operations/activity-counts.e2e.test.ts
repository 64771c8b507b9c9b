import fc from 'fast-check';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { insertTestEndpoint, newName } from '../fixtures/replayed-deliveries.ts';
import { pruneDatabase } from '../retention/prune.ts';
import { summarizeActivity } from '../reads/activity.ts';
import type { ActivityRow, Buckets } from '../reads/activity.ts';
import { countActivity } from './activity-counts.ts';

// Hundreds of statements one after the other, which take ten times as long beside a browser that is busy.
jest.setTimeout(120_000);
useDatabase(4);

const hour = 3_600_000;
const now = Date.now();
const quarter = hour / 4;
/** The hours since the last quarter-hour began. */
const sinceQuarter = (now % quarter) / hour;
/** All merchants are counted, also those with one order. */
const least = { orders: 1, days: 40 };
const ago = (hours: number) => new Date(now - hours * hour);

const ranges: Buckets[] = [
  { step: '1 hour', count: 24 },
  { step: '6 hours', count: 28 },
  { step: '1 day', count: 30 },
];

/** What the home page shows, for all its ranges. */
const showHome = (merchantId: string) =>
  Promise.all(ranges.map((range) => summarizeActivity(database, merchantId, range)));

/** The same from the rows alone. */
async function showUncounted(merchantId: string) {
  await database.activityCount.deleteMany({ where: { merchantId } });
  await database.activityProgress.deleteMany({ where: { merchantId } });
  return showHome(merchantId);
}

/** The number of deliveries that succeeded, of each bucket of a range that the home page shows, counted one by one. */
async function countDelivered(merchantId: string, shown: ActivityRow[]): Promise<number[]> {
  const delivered = await database.delivery.findMany({ where: { merchantId, state: 'delivered' } });
  const starts = shown.flatMap(({ at }) => (at === null ? [] : [new Date(at)]));
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? new Date(now + hour);
    return delivered.filter(({ createdAt }) => createdAt >= start && createdAt < end).length;
  });
}

const countsOf = (merchantId: string) =>
  database.activityCount.findMany({
    where: { merchantId },
    orderBy: [{ startsAt: 'asc' }, { subject: 'asc' }, { reason: 'asc' }],
  });

async function deleteRows(merchantId: string) {
  for (const table of ['orders', 'deliveries', 'decisions'])
    await database.execute(`DELETE FROM ${table} WHERE merchant_id = $1`, [merchantId]);
}

async function createMerchant(timezone = 'Asia/Seoul') {
  const id = newName('mer');
  await database.merchant.create({ data: { id, name: 'm', identitySecret: '', timezone } });
  return { merchantId: id, endpointId: await insertTestEndpoint(id) };
}

type Merchant = Awaited<ReturnType<typeof createMerchant>>;

/** An order with a decision at each of the given times, in hours ago, and a delivery in each of the given states. */
interface History {
  decidedAgo: number[];
  reasons: string[];
  deliveries: string[];
}

async function insertHistory({ merchantId, endpointId }: Merchant, history: History): Promise<void> {
  const orderId = newName('order');
  const times = history.decidedAgo.toSorted((one, other) => other - one).map(ago);
  const createdAt = times[0] as Date;
  const amounts = { orderAmount: 1, paidAmount: 1, shippingAmount: 0, orderDate: createdAt };
  await database.order.create({
    data: {
      merchantId,
      orderId,
      version: 1,
      memberId: 'm',
      ...amounts,
      firstOrder: true,
      items: [],
      createdAt,
    },
  });
  await database.decision.createMany({
    data: times.map((at, index) => ({
      ...{ merchantId, orderId, number: index + 1, orderVersion: index + 1, memberId: 'm', referralId: 'r' },
      ...{ programVersion: 1, outcome: 'no_reward', reason: history.reasons[index] as string, checks: [] },
      createdAt: at,
    })),
  });
  await database.delivery.createMany({
    data: history.deliveries.map((state) => ({
      ...{ id: crypto.randomUUID(), merchantId, eventId: newName('evt'), endpointId, state, createdAt },
      eventCreatedAt: createdAt,
      nextAttemptAt: state === 'pending' ? createdAt : null,
    })),
  });
}

const hoursAgo = fc.oneof(
  fc.double({ min: 0.001, max: 35 * 24, noNaN: true }),
  fc.integer({ min: 0, max: 35 * 96 }).map((quarters) => sinceQuarter + quarters / 4),
);

const history = fc.integer({ min: 1, max: 3 }).chain((count) =>
  fc.record({
    // The home page looks back for 30 days; some rows are older, some have just been made, and some are on a boundary.
    decidedAgo: fc.array(hoursAgo, {
      minLength: count,
      maxLength: count,
    }),
    reasons: fc.array(fc.constantFrom('not_paid', 'rewarded', 'below_minimum'), {
      minLength: count,
      maxLength: count,
    }),
    deliveries: fc.array(fc.constantFrom('pending', 'held', 'delivered', 'exhausted', 'cancelled'), {
      maxLength: 3,
    }),
  }),
);

describe('The counts of the home page', () => {
  it('show what the rows show, whenever they were counted and wherever the merchant is', async () => {
    const zones = ['UTC', 'Asia/Seoul', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/New_York'];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...zones),
        fc.array(history, { minLength: 1, maxLength: 6 }),
        fc.array(fc.double({ min: 0, max: 33 * 24, noNaN: true }), { minLength: 1, maxLength: 4 }),
        async (zone, histories, countedAgo) => {
          const merchant = await createMerchant(zone);
          for (const one of histories) await insertHistory(merchant, one);
          // The rows of later times exist already, as those of a merchant whose older rows are counted now.
          for (const hours of countedAgo.toSorted((one, other) => other - one))
            await countActivity(database, { now: ago(hours), least });
          const counted = await showHome(merchant.merchantId);
          for (const shown of counted)
            expect(shown.slice(0, -1).map((bucket) => bucket.deliveries_succeeded)).toEqual(
              await countDelivered(merchant.merchantId, shown),
            );
          expect(counted).toEqual(await showUncounted(merchant.merchantId));
          await deleteRows(merchant.merchantId);
        },
      ),
      { numRuns: 8 },
    );
  });

  it('follow what happens to rows that are counted: new decisions, deliveries that succeed or are pruned', async () => {
    const merchant = await createMerchant();
    const { merchantId } = merchant;
    const first = {
      decidedAgo: [50],
      reasons: ['not_paid'],
      deliveries: ['pending', 'exhausted', 'delivered'],
    };
    await insertHistory(merchant, first);
    await insertHistory(merchant, { ...first, decidedAgo: [3] });
    await countActivity(database, { least });
    const [{ orderId } = { orderId: '' }] = await database.decision.findMany({
      where: { merchantId },
      orderBy: { createdAt: 'asc' },
    });
    await database.$executeRaw`
      INSERT INTO decisions SELECT merchant_id, order_id, 2, 2, member_id, referral_id, 1, 'rewarded', 'rewarded', '[]'
      FROM decisions WHERE merchant_id = ${merchantId} AND order_id = ${orderId}`;
    await database.delivery.updateMany({
      where: { merchantId, state: 'pending' },
      data: { state: 'delivered', nextAttemptAt: null },
    });
    const days = {
      attemptsDays: 1,
      eventsDays: 1,
      decisionsDays: 1,
      noticesDays: 1,
      replaysDays: 1,
      auditDays: 30,
    };
    const countsBefore = await countsOf(merchantId);
    await pruneDatabase(database, days);
    expect(await database.delivery.count({ where: { merchantId } })).toBe(3);
    expect(await countsOf(merchantId)).toEqual(countsBefore);
    const shown = await showHome(merchantId);
    expect(shown[2]?.at(-1)).toMatchObject({ orders: 2, deliveries: 3, deliveries_succeeded: 2 });
    expect(
      shown[2]?.map(({ reasons }) => reasons).filter((one) => Object.keys(one).length > 0),
    ).toContainEqual(expect.objectContaining({ rewarded: 1 }));
    expect(shown).toEqual(await showUncounted(merchantId));
  });

  it('have an order that is decided again once, by its newest decision, however long after the first', async () => {
    const merchant = await createMerchant();
    const { merchantId } = merchant;
    const reasons = ['not_paid', 'rewarded', 'below_minimum'];
    for (const decidedAgo of [
      [47, 1],
      [7 * 24, 1],
      [20 * 24, 7 * 24, 1],
    ])
      await insertHistory(merchant, { decidedAgo, reasons, deliveries: [] });
    const shown = async () =>
      (await showHome(merchantId))[2]?.flatMap((bucket) =>
        Object.entries(bucket.reasons).flatMap(([reason, total]) => Array<string>(total).fill(reason)),
      );
    // Before it is counted, from the counts of before and the rows since, and from the counts alone.
    const newest = ['below_minimum', 'rewarded', 'rewarded'];
    expect((await shown())?.toSorted()).toEqual(newest);
    for (const [hours, counted] of [
      [2, ['', '', '', 'not_paid', 'not_paid', 'rewarded']],
      [0, ['', '', '', 'below_minimum', 'rewarded', 'rewarded']],
    ] as const) {
      await countActivity(database, { now: ago(hours), least });
      const decisions = (await countsOf(merchantId)).flatMap(({ reason, total }) =>
        Array<string>(total).fill(reason),
      );
      expect(decisions.toSorted()).toEqual(counted);
      expect((await shown())?.toSorted()).toEqual(newest);
    }
    expect(await showHome(merchantId)).toEqual(await showUncounted(merchantId));
  });

  it('count each row once when several processes count at the same time', async () => {
    const merchants = await Promise.all(Array.from({ length: 5 }, () => createMerchant()));
    for (const merchant of merchants)
      for (const hours of [1, 100, 400])
        await insertHistory(merchant, {
          decidedAgo: [hours],
          reasons: ['not_paid'],
          deliveries: ['delivered'],
        });
    await Promise.all([1, 2, 3].map(() => countActivity(database, { least })));
    for (const { merchantId } of merchants)
      expect((await showHome(merchantId))[2]?.at(-1)).toMatchObject({ orders: 3, deliveries: 3 });
  });

  it('are read instead of the rows, which are not counted again', async () => {
    const { merchantId, ...rest } = await createMerchant();
    await insertHistory({ merchantId, ...rest }, { decidedAgo: [5], reasons: ['not_paid'], deliveries: [] });
    await countActivity(database, { least });
    await deleteRows(merchantId);
    expect((await showHome(merchantId))[2]?.at(-1)).toMatchObject({ orders: 1 });
  });

  it('are not made for a merchant with few orders a day', async () => {
    const merchant = await createMerchant();
    const { merchantId } = merchant;
    await insertHistory(merchant, { decidedAgo: [5], reasons: ['not_paid'], deliveries: [] });
    await countActivity(database);
    expect(await database.activityCount.count({ where: { merchantId } })).toBe(0);
    await countActivity(database, { least });
    expect(await database.activityCount.count({ where: { merchantId } })).toBe(2);
  });
});
