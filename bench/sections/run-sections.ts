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

/** Runs sections, one after the other on the same stack. */
export async function runSections(bench: Bench, names: readonly SectionName[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  let ordersPerSecond: number | undefined;
  if (names.includes('end-to-end')) {
    const endToEnd = await measureEndToEnd(bench);
    ordersPerSecond = endToEnd.ordersPerSecond;
    figures.push(...endToEnd.figures);
  }
  if (names.includes('latency')) {
    ordersPerSecond ??= await findLoad(bench);
    figures.push(...(await measureLatency(bench, ordersPerSecond)));
  }
  if (names.includes('deliveries')) figures.push(...(await measureDeliveries(bench)));
  if (names.includes('first-attempt')) figures.push(...(await measureFirstAttempt(bench)));
  if (names.includes('retries')) figures.push(...(await measureRetries(bench)));
  if (names.includes('isolation'))
    figures.push(...(await measureIsolation(bench)), ...(await measureDeliveryBacklog(bench)));
  if (names.includes('fairness')) figures.push(...(await measureFairness(bench)));
  if (names.includes('peers')) figures.push(...(await measurePeers(bench)));
  if (names.includes('storage')) figures.push(...(await measureStorage(bench)));
  if (names.includes('console')) figures.push(...(await measureConsole(bench)));
  if (names.includes('backlog')) figures.push(...(await measureBacklog(bench)));
  if (names.includes('overload')) {
    ordersPerSecond ??= await findLoad(bench);
    figures.push(...(await measureOverload(bench, ordersPerSecond)));
  }
  if (names.includes('soak')) figures.push(...(await measureSoak(bench)));
  if (names.includes('scale')) figures.push(...(await measureScale(bench)));
  if (names.includes('memory')) figures.push(...(await measureFootprint(bench)));
  return figures;
}

/** Measures the end-to-end rate when its own section does not run. */
async function findLoad(bench: Bench): Promise<number> {
  const orders = Math.ceil(bench.settings.orders / 2);
  await runOrders(bench, { orders });
  return (await runOrders(bench, { orders })).ordersPerSecond;
}
