import { setTimeout } from 'node:timers/promises';
import { waitFor } from '@rewardhook/local-stack';
import { cpuSeconds } from '../measure/process-usage.ts';
import type { Bench } from '../stack/bench.ts';
import type { EndpointCounts, System } from './system.ts';

/** A run in which all deliveries are due at once. */
export interface DeliveryRun {
  perSecond: number;
  /** Processor seconds for 10,000 deliveries: of the worker and, when the bench started them, of the servers. */
  cpu: Record<string, number>;
}

const serverNames = ['postgres', 'redis'];

/** Makes deliveries due, starts them together and waits until the last attempt is stored. */
export async function deliverAll(
  bench: Bench,
  system: System,
  { endpoints, deliveries }: { endpoints: number; deliveries: number },
): Promise<DeliveryRun> {
  const group = await system.addEndpoints({ healthy: endpoints, hangs: 0 });
  await vacuum(bench);
  const start = await group.hold(deliveries / endpoints);
  const servers = bench.stack.processes().filter(({ name }) => serverNames.includes(name));
  const processes = [{ name: 'worker', pid: system.pid }, ...servers];
  const before = processes.map(({ pid }) => cpuSeconds(pid));
  const started = performance.now();
  await start();
  await waitFor(group.areDone, {
    deadlineMs: 120_000,
    everyMs: 20,
    what: `${deliveries} deliveries of ${system.name}`,
  });
  const seconds = (performance.now() - started) / 1_000;
  const cpu = processes.map(({ name, pid }, index) => [
    name,
    ((cpuSeconds(pid) - (before[index] ?? 0)) / deliveries) * 10_000,
  ]);
  const stored = (await group.times()).length;
  if (stored !== deliveries) throw new Error(`${system.name} stored ${stored} of ${deliveries} attempts`);
  return { perSecond: deliveries / seconds, cpu: Object.fromEntries(cpu) as Record<string, number> };
}

/** Makes deliveries due at a steady rate; returns the ascending times from due to response at the healthy endpoints. */
export async function deliverSteadily(
  bench: Bench,
  system: System,
  counts: EndpointCounts,
  { perSecond, each, seconds }: { perSecond: number; each: number; seconds: number },
): Promise<number[]> {
  const group = await system.addEndpoints(counts);
  await vacuum(bench);
  const portionMs = (each / perSecond) * 1_000;
  const portions = Math.round((seconds * 1_000) / portionMs);
  const began = performance.now();
  for (let sent = 1; sent <= portions; sent += 1) {
    await group.send(each);
    await setTimeout(Math.max(0, began + sent * portionMs - performance.now()));
  }
  await waitFor(group.areDone, { deadlineMs: 240_000, what: `the healthy endpoints of ${system.name}` });
  const times = await group.times();
  const expected = counts.healthy * each * portions;
  if (times.length < expected)
    throw new Error(`${system.name} stored ${times.length} of ${expected} attempts`);
  return times.toSorted((one, other) => one - other);
}

/** Vacuums and writes a checkpoint now: otherwise those for the rows of the run before might happen in this one. */
async function vacuum({ sql }: Bench): Promise<void> {
  await sql.query('VACUUM (ANALYZE)');
  await sql.query('CHECKPOINT');
}
