import { runNaive } from '../naive/run-naive.ts';
import { median } from '../measure/statistics.ts';
import type { Figure } from '../report/figure.ts';
import { ordersPerMember } from '../settings.ts';
import type { Bench } from '../stack/bench.ts';
import { runOrders } from './run-orders.ts';
import type { OrdersRun } from './run-orders.ts';

/** The figures, and the rate that later sections use. */
export interface EndToEnd {
  figures: Figure[];
  ordersPerSecond: number;
}

const section = 'End to end: first POST to last row stored and evaluated, 100 orders of 2 items a request';

/** Orders/s of the complete service, compared with a naive implementation. */
export async function measureEndToEnd(bench: Bench): Promise<EndToEnd> {
  const { orders, repetitions, naiveOrders } = bench.settings;
  bench.log('end to end: warming up');
  await runOrders(bench, { orders: Math.ceil(orders / 2) });
  await runOrders(bench, { orders: Math.ceil(orders / 5), linked: true });

  const plain: OrdersRun[] = [];
  const linked: OrdersRun[] = [];
  const naive: number[] = [];
  // Alternately, so that a slow minute of the machine affects all of them.
  for (let repetition = 1; repetition <= repetitions; repetition += 1) {
    bench.log(`end to end: repetition ${repetition} of ${repetitions}`);
    plain.push(await runOrders(bench, { orders }));
    linked.push(await runOrders(bench, { orders, linked: true }));
    naive.push(await runNaive(bench, naiveOrders));
  }

  const rates = plain.map((run) => run.ordersPerSecond);
  const linkedRates = linked.map((run) => run.ordersPerSecond);
  const ordersPerSecond = median(rates);
  return {
    ordersPerSecond,
    figures: [
      {
        section,
        name: 'no member linked',
        value: ordersPerSecond,
        unit: 'orders/s',
        repetitions: rates,
        reference: { name: 'one job per order, prisma.order.upsert', value: median(naive) },
        goal: { of: 'ratio', atLeast: 40 },
        note:
          `the naive implementation stores items as rows and does not evaluate; its worker runs 5 jobs concurrently, which ` +
          `was the fastest: ${naive.map(Math.round).join(', ')} orders/s`,
      },
      {
        section,
        name: 'every member linked',
        value: median(linkedRates),
        unit: 'orders/s',
        repetitions: linkedRates,
        reference: { name: 'no member linked', value: ordersPerSecond },
        note: `${ordersPerMember} orders a member, so every ${ordersPerMember}th order makes 2 rewards and 2 events; no webhook registered`,
      },
      ...cpuFigures(plain, orders, 'no member linked'),
      ...cpuFigures(linked, orders, 'every member linked'),
    ],
  };
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
