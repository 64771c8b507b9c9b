import type { Figure } from '../report/figure.ts';
import type { Bench } from '../stack/bench.ts';
import { measureConsole } from './console.ts';
import { measureDeliveries } from './deliveries.ts';
import { measureEndToEnd } from './end-to-end.ts';
import { measureFairness } from './fairness.ts';
import { measureHistory } from './history.ts';
import { measureLatency } from './latency.ts';
import { measureMemory } from './memory.ts';
import { measureOneOrder } from './one-order.ts';
import { measureOverload } from './overload.ts';
import { runOrders } from './run-orders.ts';

/** The sections of a run that names none, in this order: memory is last, because it measures the peak of all of them. */
export const defaultSections = [
  'end-to-end',
  'latency',
  'one-order',
  'history',
  'fairness',
  'overload',
  'deliveries',
  'memory',
] as const;

/** `console` fills tables for half an hour. */
export const sectionNames = [...defaultSections, 'console'] as const;
export type SectionName = (typeof sectionNames)[number];

/** Runs sections, one after the other on the same stack. `add` is called with the figures of each. */
export async function runSections(
  bench: Bench,
  names: readonly SectionName[],
  add: (figures: Figure[]) => void,
): Promise<void> {
  let ordersPerSecond: number | undefined;
  if (names.includes('end-to-end')) {
    const endToEnd = await measureEndToEnd(bench);
    ordersPerSecond = endToEnd.ordersPerSecond;
    add(endToEnd.figures);
  }
  if (names.includes('latency'))
    add(await measureLatency(bench, (ordersPerSecond ??= await findLoad(bench))));
  if (names.includes('one-order')) add(await measureOneOrder(bench));
  if (names.includes('history')) add(await measureHistory(bench));
  if (names.includes('fairness')) add(await measureFairness(bench));
  if (names.includes('overload'))
    add(await measureOverload(bench, (ordersPerSecond ??= await findLoad(bench))));
  if (names.includes('deliveries')) add(await measureDeliveries(bench));
  if (names.includes('memory')) add(await measureMemory(bench));
  if (names.includes('console')) add(await measureConsole(bench));
}

/** Measures the end-to-end rate when its own section does not run. */
async function findLoad(bench: Bench): Promise<number> {
  const orders = Math.ceil(bench.settings.orders / 2);
  await runOrders(bench, { orders });
  return (await runOrders(bench, { orders })).ordersPerSecond;
}
