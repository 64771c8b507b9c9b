import { setTimeout } from 'node:timers/promises';
import type { PostPlan, PostResult } from '../load/post-plan.ts';
import { planRequests } from '../load/post-plan.ts';
import { openSteadyMerchant } from '../load/steady-merchant.ts';
import type { SteadyMerchant, SteadyOrder } from '../load/steady-merchant.ts';
import { percentile } from '../measure/statistics.ts';
import { waitUntilEvaluated, waitUntilIdle } from '../measure/wait-until-done.ts';
import type { Figure } from '../report/figure.ts';
import { connections, ordersPerMember } from '../settings.ts';
import type { Bench } from '../stack/bench.ts';
import { linkMembersOf } from '../stack/link-members.ts';
import { openTask } from '../tasks/open-task.ts';
import { setPrecedence } from '../tasks/precedence.ts';

const section = 'Fairness: one order of a merchant every 200 ms, POST to webhook, while others send many';
const everyMs = 200;

/** What the others send meanwhile. */
interface Flood {
  name: string;
  orders: number;
  merchants: number;
  batch: PostPlan['batch'];
  linked?: boolean;
}

const floods = (scale: number): Flood[] => [
  { name: '1,000 orders a request', orders: 200_000 * scale, merchants: 1, batch: 1_000 },
  { name: 'orders of linked members', orders: 40_000 * scale, merchants: 1, batch: 100, linked: true },
  { name: '1,000 merchants', orders: 200_000 * scale, merchants: 1_000, batch: [1, 1_000] },
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
      bench.log(`fairness: ${flood.name}, ${flood.orders} orders`);
      await bench.sql.query('CHECKPOINT');
      const before = await steady.sendUntil(setTimeout(20_000 * scale));
      const { during, ordersPerSecond } = await runFlood(bench, steady, flood);
      figures.push(...figuresOf(flood.name, before, during, ordersPerSecond));
    }
    return figures;
  } finally {
    setPrecedence(false);
    await steady.close();
  }
}

let runs = 0;

/** Sends as fast as the responses arrive. */
async function runFlood(
  bench: Bench,
  steady: SteadyMerchant,
  { orders, merchants, batch, linked = false }: Flood,
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

function figuresOf(name: string, before: SteadyOrder[], during: SteadyOrder[], rate: number): Figure[] {
  const of = (orders: SteadyOrder[], share: number, step: keyof SteadyOrder = 'received') =>
    percentile(
      orders.map((order) => order[step]).toSorted((one, other) => one - other),
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
      note:
        `202 after ${Math.round(of(during, 0.5, 'answered'))} ms (p50) and ${Math.round(of(during, 0.99, 'answered'))} ` +
        `ms (p99); ${during.length} orders, each with its webhook; the others ${Math.round(rate)} orders/s, all stored`,
    },
    { ...figure('p99', 0.99), goal: { of: 'value', atMost: 500 } },
  ];
}
