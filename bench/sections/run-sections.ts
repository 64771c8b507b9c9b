import type { Figure } from '../report/figure.ts';
import type { Bench } from '../stack/bench.ts';
import { measureBacklog } from './backlog.ts';
import { measureConsole } from './console.ts';
import { measureDeliveries } from './deliveries.ts';
import { measureDeliveryBacklog } from './delivery-backlog.ts';
import { measureEndToEnd } from './end-to-end.ts';
import { measureFirstAttempt } from './first-attempt.ts';
import { measureFootprint } from './footprint.ts';
import { measureFairness } from './fairness.ts';
import { measureIsolation } from './isolation.ts';
import { measureLatency } from './latency.ts';
import { measureOverload } from './overload.ts';
import { measurePeers } from './peers.ts';
import { measureRetries } from './retries.ts';
import { runOrders } from './run-orders.ts';
import { measureScale } from './scale.ts';
import { measureSoak } from './soak.ts';
import { measureStorage } from './storage.ts';

/** These run by default, in this order: memory is last, because it measures the peak of all of them. */
export const defaultSections = [
  'end-to-end',
  'latency',
  'deliveries',
  'first-attempt',
  'retries',
  'isolation',
  'storage',
  'console',
  'memory',
] as const;
/** These take minutes each, and run only when they are named. */
export const longSections = ['fairness', 'peers', 'backlog', 'overload', 'soak', 'scale', 'growth'] as const;
export const sectionNames = [...defaultSections, ...longSections] as const;
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
  if (names.includes('latency')) {
    ordersPerSecond ??= await findLoad(bench);
    add(await measureLatency(bench, ordersPerSecond));
  }
  if (names.includes('deliveries')) add(await measureDeliveries(bench));
  if (names.includes('first-attempt')) add(await measureFirstAttempt(bench));
  if (names.includes('retries')) add(await measureRetries(bench));
  if (names.includes('isolation'))
    add([...(await measureIsolation(bench)), ...(await measureDeliveryBacklog(bench))]);
  if (names.includes('fairness')) add(await measureFairness(bench));
  if (names.includes('peers')) add(await measurePeers(bench));
  if (names.includes('storage')) add(await measureStorage(bench));
  if (names.includes('console')) add(await measureConsole(bench));
  if (names.includes('backlog')) add(await measureBacklog(bench));
  if (names.includes('overload')) {
    ordersPerSecond ??= await findLoad(bench);
    add(await measureOverload(bench, ordersPerSecond));
  }
  if (names.includes('soak')) add(await measureSoak(bench));
  if (names.includes('scale')) add(await measureScale(bench));
  if (names.includes('memory')) add(await measureFootprint(bench));
}

/** Measures the end-to-end rate when its own section does not run. */
async function findLoad(bench: Bench): Promise<number> {
  const orders = Math.ceil(bench.settings.orders / 2);
  await runOrders(bench, { orders });
  return (await runOrders(bench, { orders })).ordersPerSecond;
}
