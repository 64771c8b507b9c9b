import type { Bench } from '../stack/bench.ts';
import { deliverAll } from './deliver.ts';
import type { System } from './system.ts';

/** A peer with the number of jobs at a time that was the fastest. */
export interface Fastest {
  system: System;
  concurrency: number;
  /** Deliveries/s with each number that was tried. */
  tried: Map<number, number>;
}

/** Tries numbers of jobs at a time, and leaves the fastest open. Each is warmed up first. */
export async function openFastest(
  bench: Bench,
  open: (concurrency: number) => Promise<System>,
  deliveries: number,
): Promise<Fastest> {
  const tried = new Map<number, number>();
  let fastest: { system: System; concurrency: number; perSecond: number } | undefined;
  for (const concurrency of bench.settings.peerConcurrencies) {
    const system = await open(concurrency);
    bench.log(`peers: ${system.name} with ${concurrency} jobs at a time`);
    await deliverAll(bench, system, { endpoints: 10, deliveries });
    const { perSecond } = await deliverAll(bench, system, { endpoints: 10, deliveries });
    tried.set(concurrency, perSecond);
    const slower = fastest && fastest.perSecond > perSecond ? system : fastest?.system;
    if (slower !== system) fastest = { system, concurrency, perSecond };
    await slower?.close();
  }
  if (!fastest) throw new Error('no number of jobs at a time was tried');
  return { system: fastest.system, concurrency: fastest.concurrency, tried };
}
