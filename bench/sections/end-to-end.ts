import { runNaive } from '../naive/run-naive.ts';
import type { UpsertLoopPlan } from '../bare/upsert-loop.ts';
import { median } from '../measure/statistics.ts';
import type { Figure } from '../report/figure.ts';
import { profile } from '../report/profile.ts';
import { ordersPerMember } from '../settings.ts';
import type { Bench } from '../stack/bench.ts';
import { openTask } from '../tasks/open-task.ts';
import { runOrders } from './run-orders.ts';
import type { OrdersRun } from './run-orders.ts';

/** The figures, and the rate that later sections use. */
export interface EndToEnd {
  figures: Figure[];
  ordersPerSecond: number;
}

const section = 'End to end: first POST to last row stored and evaluated, 100 orders of 2 items a request';
/** Orders in a statement: as many as in one request, and as many as the sync stage combines from waiting requests. */
const largestStatement = 2_000;
const statementSizes = [100, largestStatement];

/**
 * Orders/s of the complete service, compared with a naive implementation and with a bare loop of its own statement.
 */
export async function measureEndToEnd(bench: Bench): Promise<EndToEnd> {
  const { orders, repetitions, naiveOrders } = bench.settings;
  bench.log('end to end: warming up');
  await runOrders(bench, { orders: Math.ceil(orders / 2) });
  await runOrders(bench, { orders: Math.ceil(orders / 5), linked: true });

  const plain: OrdersRun[] = [];
  const linked: OrdersRun[] = [];
  const naive: number[] = [];
  const bare = new Map<number, number[]>(statementSizes.map((size) => [size, []]));
  // Alternately, so that a slow minute of the machine affects all of them.
  for (let repetition = 1; repetition <= repetitions; repetition += 1) {
    bench.log(`end to end: repetition ${repetition} of ${repetitions}`);
    plain.push(await runOrders(bench, { orders }));
    linked.push(await runOrders(bench, { orders, linked: true }));
    for (const [size, rates] of bare) rates.push(await runBareLoop(bench, orders, size, repetition));
    naive.push(await runNaive(bench, naiveOrders));
  }

  const rates = plain.map(({ ordersPerSecond }) => ordersPerSecond);
  const ordersPerSecond = median(rates);
  const linkedRates = linked.map((run) => run.ordersPerSecond);
  const service = { section, value: ordersPerSecond, unit: 'orders/s', repetitions: rates };
  const linkedService = {
    section,
    value: median(linkedRates),
    unit: 'orders/s',
    repetitions: linkedRates,
    bottleneck: profile.linked,
  };
  return {
    ordersPerSecond,
    figures: [
      {
        ...service,
        name: 'compared with the naive implementation',
        reference: { name: 'one job per order, prisma.order.upsert', value: median(naive) },
        goal: { of: 'ratio', atLeast: 40 },
        note: `the naive implementation stores items as rows and does not evaluate; its worker runs 5 jobs concurrently, which was the fastest: ${naive.map(Math.round).join(', ')} orders/s`,
      },
      ...[...bare].map(([size, loop]) => ({
        ...service,
        name: `compared with a bare loop, ${size} orders a statement`,
        reference: { name: 'the same upsert alone, one connection', value: median(loop) },
        ...(size === largestStatement ? { goal: { of: 'ratio' as const, atLeast: 0.75 } } : {}),
        bottleneck: profile.bareLoop,
        note: `bare loop: ${loop.map(Math.round).join(', ')} orders/s`,
      })),
      {
        ...linkedService,
        name: 'every member linked',
        reference: { name: 'no member linked', value: ordersPerSecond },
        goal: { of: 'ratio', atLeast: 0.5 },
        note: `${ordersPerMember} orders a member, so every ${ordersPerMember}th order makes 2 rewards and 2 events; no webhook registered`,
      },
      {
        ...linkedService,
        name: `every member linked, compared with a bare loop, ${largestStatement} orders a statement`,
        reference: {
          name: 'the same upsert alone, one connection',
          value: median(bare.get(largestStatement) ?? []),
        },
        goal: { of: 'ratio', atLeast: 0.65 },
      },
      ...cpuFigures(plain, orders, 'no member linked'),
      ...cpuFigures(linked, orders, 'every member linked'),
    ],
  };
}

async function runBareLoop(bench: Bench, orders: number, size: number, repetition: number): Promise<number> {
  const prefix = `bare-${Date.now()}-${size}-${repetition}`;
  const plan = { prefix, orders, ordersPerMember, batch: size, merchantId: `mer_${prefix}` };
  const loop = await openTask<UpsertLoopPlan, null, { ordersPerSecond: number }>('bare/upsert-loop.ts', {
    ...plan,
    databaseUrl: bench.stack.databaseUrl,
  });
  const { ordersPerSecond } = await loop.call();
  await loop.close();
  return ordersPerSecond;
}

function cpuFigures(runs: OrdersRun[], orders: number, what: string): Figure[] {
  const names = Object.keys(runs[0]?.cpu ?? {});
  return names.map((name) => {
    const repetitions = runs.map(({ cpu }) => ((cpu[name] ?? 0) / orders) * 10_000);
    return {
      section: `Processor time for 10,000 orders, ${what}`,
      name,
      value: median(repetitions),
      unit: 's',
      repetitions,
    };
  });
}
