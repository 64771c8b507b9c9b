import { setTimeout } from 'node:timers/promises';
import type { UpsertLoopPlan } from '../bare/upsert-loop.ts';
import type { PostPlan, PostResult } from '../load/post-plan.ts';
import { planRequests } from '../load/post-plan.ts';
import { openSteadyMerchant } from '../load/steady-merchant.ts';
import type { SteadyMerchant, SteadyOrder } from '../load/steady-merchant.ts';
import { percentile } from '../measure/statistics.ts';
import { waitUntilEvaluated, waitUntilIdle } from '../measure/wait-until-done.ts';
import type { Figure } from '../report/figure.ts';
import { profile } from '../report/profile.ts';
import { connections, ordersPerMember } from '../settings.ts';
import type { Bench } from '../stack/bench.ts';
import { linkMembersOf } from '../stack/link-members.ts';
import { openTask } from '../tasks/open-task.ts';
import { setPrecedence } from '../tasks/precedence.ts';

const section = 'Fairness: one order of a merchant every 200 ms, POST to webhook, while others send many';
const everyMs = 200;
/** As in large statements of `sync` while several merchants send. */
const ordersOfStatement = 250;

/** What the others send meanwhile. */
interface Flood {
  name: string;
  orders: number;
  merchants: number;
  batch: PostPlan['batch'];
  linked?: boolean;
  /** Whether as many are sent again afterwards, at half of the rate at which these were stored and evaluated. */
  thenHalf?: boolean;
}

const floods = (scale: number): Flood[] => [
  { name: '1,000 orders a request', orders: 200_000 * scale, merchants: 1, batch: 1_000, thenHalf: true },
  {
    name: 'orders of linked members',
    orders: 40_000 * scale,
    merchants: 1,
    batch: 100,
    linked: true,
    thenHalf: true,
  },
  { name: '1,000 merchants', orders: 200_000 * scale, merchants: 1_000, batch: [1, 1_000] },
  {
    name: '1,000 merchants, linked',
    orders: 40_000 * scale,
    merchants: 1_000,
    batch: [1, 1_000],
    linked: true,
  },
];

/** How much later the webhooks of a steady merchant arrive while another merchant, or a thousand, send many orders. */
export async function measureFairness(bench: Bench): Promise<Figure[]> {
  const steady = await openSteadyMerchant(bench, everyMs);
  const { fairnessScale: scale } = bench.settings;
  setPrecedence(true);
  try {
    bench.log('fairness: warming up');
    await runFlood(bench, steady, {
      name: 'warm-up',
      orders: 20_000 * scale,
      merchants: 1,
      batch: 1_000,
      linked: true,
    });
    const figures: Figure[] = [];
    for (const flood of floods(scale)) {
      const measure = async (name: string, rate?: number): Promise<number> => {
        bench.log(`fairness: ${name}, ${flood.orders} orders`);
        await bench.sql.query('CHECKPOINT');
        const before = await steady.sendUntil(setTimeout(10_000 * scale));
        const { during, ordersPerSecond } = await runFlood(bench, steady, flood, rate);
        figures.push(...figuresOf({ name }, before, during, ordersPerSecond));
        return ordersPerSecond;
      };
      const ordersPerSecond = await measure(flood.name);
      if (flood.thenHalf) await measure(`${flood.name}, half as fast`, ordersPerSecond / 2);
    }
    for (const loops of [2, 1]) figures.push(...(await measureControl(bench, steady, { loops, scale })));
    return figures;
  } finally {
    setPrecedence(false);
    await steady.close();
  }
}

/**
 * The same merchant while loops store orders, each on a connection of its own, with nothing of the service: what sharing the
 * cores with the statements alone does. One loop uses one of two cores.
 */
async function measureControl(
  bench: Bench,
  steady: SteadyMerchant,
  { loops: count, scale }: { loops: number; scale: number },
): Promise<Figure[]> {
  const name = `control: ${count === 1 ? 'one bare loop that stores' : `${count} bare loops that store`} ${ordersOfStatement} orders a statement`;
  bench.log(`fairness: ${name}`);
  const openLoop = (prefix: string) =>
    openTask<UpsertLoopPlan, null, { ordersPerSecond: number }>('bare/upsert-loop.ts', {
      prefix,
      orders: 100_000 * scale,
      ordersPerMember,
      merchantId: `mer_${prefix}`,
      batch: ordersOfStatement,
      databaseUrl: bench.stack.databaseUrl,
    });
  const loops = [];
  for (let number = 1; number <= count; number += 1)
    loops.push(await openLoop(`C${Date.now()}-${count}-${number}`));
  try {
    await bench.sql.query('CHECKPOINT');
    const before = await steady.sendUntil(setTimeout(10_000 * scale));
    const storing = Promise.all(loops.map((loop) => loop.call()));
    const during = await steady.sendUntil(storing);
    const rate = (await storing).reduce((sum, { ordersPerSecond }) => sum + ordersPerSecond, 0);
    return figuresOf({ name }, before, during, rate).map(
      ({ goal: _goal, bottleneck: _bottleneck, ...figure }) => figure,
    );
  } finally {
    await Promise.all(loops.map((loop) => loop.close()));
  }
}

let runs = 0;

/** Sends as fast as the responses arrive, or `rate` orders a second in requests of one size. */
async function runFlood(
  bench: Bench,
  steady: SteadyMerchant,
  { orders, merchants, batch, linked = false }: Flood,
  rate?: number,
): Promise<{ during: SteadyOrder[]; ordersPerSecond: number }> {
  runs += 1;
  const senders = [];
  for (let made = 0; made < merchants; made += 1)
    senders.push(await bench.createMerchant(`bench flood ${runs}`));
  const merchantIds = senders.map(({ merchantId }) => merchantId);
  const plan: PostPlan = {
    prefix: `F${Date.now()}-${runs}`,
    orders,
    ordersPerMember,
    url: `${bench.stack.apiUrl}/api/open/orders/sync/`,
    key: senders.map(({ secretKey }) => secretKey),
    batch,
    connections,
    perSecond: rate && rate / Number(batch),
  };
  if (linked) await linkMembersOf(bench.sql, merchantIds, plan, planRequests(plan));
  const load = await openTask<PostPlan, null, PostResult>('load/post-orders.ts', plan);
  try {
    await waitUntilIdle(bench);
    const startedAt = Date.now();
    let endedAt = Number.NaN;
    const flood = load.call().then(async ({ refused }) => {
      if (refused > 0) bench.log(`the API refused ${refused} requests; each was sent again`);
      endedAt = await waitUntilEvaluated(bench, merchantIds, orders);
    });
    const during = await steady.sendUntil(flood);
    return { during, ordersPerSecond: orders / ((endedAt - startedAt) / 1_000) };
  } finally {
    await load.close();
  }
}

function figuresOf(
  { name }: Pick<Flood, 'name'>,
  before: SteadyOrder[],
  during: SteadyOrder[],
  rate: number,
): Figure[] {
  const of = (orders: SteadyOrder[], share: number, pick: keyof SteadyOrder = 'received') =>
    percentile(
      orders
        .map((order) => order[pick])
        .filter(Number.isFinite)
        .toSorted((one, other) => one - other),
      share,
    );
  const figure = (which: string, share: number): Figure => ({
    section,
    name: `${name}, ${which}`,
    value: of(during, share),
    unit: 'ms',
    reference: { name: 'before', value: of(before, share) },
  });
  return [
    {
      ...figure('p50', 0.5),
      note: `202 after ${Math.round(of(during, 0.5, 'answered'))} ms (p50) and ${Math.round(of(during, 0.99, 'answered'))} ms (p99), before ${Math.round(of(before, 0.99, 'answered'))} ms (p99); ${during.length} orders; the others ${Math.round(rate)} orders/s. ${describeSteps(during)}`,
    },
    { ...figure('p99', 0.99), goal: { of: 'ratio', atMost: 2 }, bottleneck: profile.fairness },
    { ...figure('p99, absolute', 0.99), goal: { of: 'value', atMost: 500 } },
  ];
}

/** The steps, and how long each takes after the one before. */
const steps = [
  ['accepted', 'to read and validate it'],
  ['storing', 'to the start of its statement'],
  ['decided', 'from there to its decision'],
  ['attempted', 'to the start of its delivery'],
  ['received', 'to the webhook'],
] as const;

/** The mean time of each step, of all orders and of the slowest tenth. */
function describeSteps(orders: SteadyOrder[]): string {
  const slowest = orders
    .toSorted((one, other) => other.received - one.received)
    .slice(0, Math.ceil(orders.length / 10));
  const mean = (of: SteadyOrder[], at: number) => {
    const from = steps[at - 1]?.[0];
    const to = (steps[at] as (typeof steps)[number])[0];
    const times = of
      .map((order) => order[to] - (from === undefined ? 0 : order[from]))
      .filter(Number.isFinite);
    return Math.round(times.reduce((sum, time) => sum + time, 0) / times.length);
  };
  const parts = steps.map(([, what], at) => `${what} ${mean(orders, at)} (${mean(slowest, at)})`);
  return `Mean milliseconds of each step (of the slowest tenth of the orders in parentheses): ${parts.join(', ')}`;
}
