import type { Order } from '@rewardhook/contract';
import { enqueueEndedHolds, enqueuePaymentsReached } from '@rewardhook/database/stages';
import type { FlatTerms } from '@rewardhook/rewards';
import { buildItem, buildOrder } from '@rewardhook/testing';
import { openScenario } from '../testing/scenario.ts';
import type { Scenario } from '../testing/scenario.ts';

// What one order costs must not grow with the history of its merchant, its member or their referrer. PostgreSQL counts the
// rows that are read in tables and indexes.
jest.setTimeout(120_000);

let scenario: Scenario;
beforeAll(async () => (scenario = await openScenario({ poolSize: 1 })));
afterAll(() => scenario.close());

let version = 0;
const paidOn = (day: number) => new Date(Date.UTC(2016, 0, 1) + day * 86_400_000).toISOString();
const order = (order_id: string, day: number, changes: Partial<Order> = {}) =>
  buildOrder({ order_id, order_date: paidOn(day), paid_at: paidOn(day), ...changes });

/** Stores orders of a merchant in requests of 500, and evaluates them. */
async function evaluate(merchant: string, orders: Order[]): Promise<void> {
  for (let start = 0; start < orders.length; start += 500) {
    await scenario.store(merchant, (version += 1), orders.slice(start, start + 500));
    await scenario.settle(merchant);
  }
}

/** The rows that all statements have read until now, by table and index. */
async function readCounts(): Promise<Map<string, number>> {
  // The connection reports what it has read when this statement ends.
  await scenario.database.query('SELECT pg_stat_force_next_flush()');
  const rows = await scenario.database.query<{ name: string; read: number }>(
    `SELECT indexrelname AS name, idx_tup_read::float8 AS read FROM pg_stat_user_indexes
     UNION ALL
     SELECT relname, (seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 FROM pg_stat_user_tables`,
  );
  return new Map(rows.map(({ name, read }) => [name, read]));
}

/** The rows that a function reads, by table and index. */
async function readBy(run: () => Promise<void>): Promise<Record<string, number>> {
  const before = await readCounts();
  await run();
  const after = await readCounts();
  return Object.fromEntries([...after].map(([name, count]) => [name, count - (before.get(name) ?? 0)]));
}

const everyOrder: FlatTerms = { trigger: 'every_order' };
const capped: FlatTerms = { ...everyOrder, referrerCap: { total: 3, month: 2 } };

/** What a member with some earlier orders does: the rows that each step reads. */
async function readsAfter(
  rule: FlatTerms,
  earlier: number,
  changes: Partial<Order>,
  later?: FlatTerms,
): Promise<Reads> {
  const merchant = await scenario.openMerchant(rule);
  await scenario.link(merchant, 'boss', 'ann');
  const own = (id: string, day: number, state: Partial<Order> = {}) =>
    order(id, day, { member_id: 'ann', ...state });
  await evaluate(
    merchant,
    Array.from({ length: earlier }, (_, index) => own(`earlier-${index}`, index, changes)),
  );
  if (later) await scenario.publish(merchant, later);
  // Rows that were deleted or changed are read until they are vacuumed.
  await scenario.database.query('VACUUM');
  const step = (...orders: Order[]) => readBy(() => evaluate(merchant, orders));
  return {
    stored: await step(own('new', 2_000)),
    sentAgain: await step(own('new', 2_000, { paid_amount: 20_000 })),
    cancelled: await step(own('new', 2_000, { cancelled_at: paidOn(2_001) })),
    first: await step(own('first', -1)),
    firstCancelled: await step(own('first', -1, { cancelled_at: paidOn(2_001) })),
    moved: await step(own('new', 2_000, { member_id: 'bob' })),
  };
}

/**
 * Rows that a step changes are read once more in an index, and those that a cap counts in the table too, unless VACUUM has marked their
 * page as visible to all: an older transaction of any other test keeps it from that.
 */
const tolerance = 10;

/** What `many` reads more of than `few`. */
function more(many: Reads, few: Reads): string[] {
  return Object.entries(many).flatMap(([step, reads]) =>
    Object.entries(reads)
      .filter(([name, count]) => count > (few[step]?.[name] ?? 0) + tolerance)
      .map(([name, count]) => `${step} reads ${count} of ${name}, not ${few[step]?.[name] ?? 0}`),
  );
}

type Reads = Record<string, Record<string, number>>;

describe('An order', () => {
  it.each<{
    history: string;
    rule: FlatTerms;
    changes?: Partial<Order>;
    later?: FlatTerms;
    /** Steps that withdraw the reward of the first order: each of these orders can be the next one. */
    withdrawing?: string[];
  }>([
    { history: 'that earn rewards under the rule "every order"', rule: everyOrder },
    { history: 'under the rule "first order"', rule: {} },
    {
      history: 'that are marked as the first, under the rule "first order"',
      rule: {},
      changes: { first_order: true },
      withdrawing: ['first', 'firstCancelled'],
    },
    {
      history: 'that are marked as the first and earn nothing, under the rule "first order"',
      rule: {},
      changes: { first_order: true, currency: 'USD' },
      withdrawing: ['firstCancelled'],
    },
    {
      history: 'that are cancelled, under the rule "first order"',
      rule: {},
      changes: { cancelled_at: paidOn(2_000) },
    },
    {
      history: 'that are cancelled product by product, under the rule "first order"',
      rule: {},
      changes: { items: [buildItem({ cancelled_at: paidOn(2_000) })] },
    },
    {
      history: 'that are paid in the future, under the rule "first order"',
      rule: {},
      changes: { paid_at: paidOn(30_000) },
    },
    {
      history: 'with a referrer whose rewards are more than the caps of a later rule',
      rule: everyOrder,
      later: capped,
    },
  ])(
    'reads as many rows when its member has 1,000 orders as when there are a few, $history',
    async ({ rule, changes = {}, later, withdrawing = [] }) => {
      // A cap counts no further than itself, so a few are more than the cap.
      const few = await readsAfter(rule, later ? 20 : 5, changes, later);
      const many = await readsAfter(rule, 1_000, changes, later);
      const bounded = Object.fromEntries(
        Object.entries(many).filter(([step]) => !withdrawing.includes(step)),
      );
      expect(more(bounded, few)).toEqual([]);
    },
  );
});

/** The rows that the sweepers read while a member has some held orders, some due ones, and some that are paid in the future. */
async function readsOfSweepers(count: number): Promise<Reads> {
  const merchant = await scenario.openMerchant({ ...everyOrder, holdDays: 30 });
  await scenario.link(merchant, 'boss', 'ann');
  const paidNow = { member_id: 'ann', paid_at: new Date().toISOString() };
  const many = (name: string, changes: Partial<Order>) =>
    Array.from({ length: count }, (_, index) => order(`${name}-${index}`, index, changes));
  await evaluate(merchant, many('held', paidNow));
  await scenario.database.reward.updateMany({
    where: { merchantId: merchant },
    data: { confirmDueAt: new Date(), holdEnqueued: true },
  });
  await scenario.store(merchant, (version += 1), many('due', paidNow));
  await scenario.store(merchant, (version += 1), many('later', { ...paidNow, paid_at: paidOn(30_000) }));
  await scenario.database.query('VACUUM');
  const swept = await readBy(async () => {
    await enqueueEndedHolds(scenario.database);
    await enqueuePaymentsReached(scenario.database);
  });
  await scenario.database.dueBatch.deleteMany({});
  return { swept };
}

describe('A sweep of ended holds and reached payments', () => {
  it('reads as many rows when 1,000 orders are held, due or paid in the future as when a few are', async () => {
    const few = await readsOfSweepers(5);
    expect(more(await readsOfSweepers(1_000), few)).toEqual([]);
  });
});
