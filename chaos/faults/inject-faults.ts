import { setTimeout } from 'node:timers/promises';
import type { Random } from '../random.ts';
import type { Service } from '../service/open-service.ts';
import type { Fault } from './fault.ts';
import { freeze } from './freeze-process.ts';
import { kill, killAll, killSeveral, stop } from './kill-process.ts';
import { disturbConnection } from './proxy-faults.ts';
import { emptyRedis, fillRedis } from './redis-faults.ts';
import { tearRedisFile } from './torn-file.ts';

/** The faults that are injected at random. */
const faults: readonly Fault[] = [
  kill,
  killSeveral,
  killAll,
  stop,
  freeze,
  emptyRedis,
  fillRedis,
  disturbConnection,
  tearRedisFile,
];

/** Faults that are injected at a time, at most. */
const concurrent = 3;

/**
 * Injects faults while there is time: one after the other, and several at once. Each waits until it may begin. Resolves when the last one is
 * over.
 */
export async function injectFaults(
  service: Service,
  random: Random,
  { isTimeLeft, mayBegin }: { isTimeLeft: () => boolean; mayBegin: () => Promise<unknown> },
): Promise<void> {
  for (;;) {
    await setTimeout(random.between(200, 1_500));
    await mayBegin();
    if (!isTimeLeft()) return;
    await Promise.all(chooseFaults(random).map((fault) => fault.inject(service, random)));
  }
}

function chooseFaults(random: Random): Fault[] {
  const weighted = faults.flatMap((fault) => Array.from({ length: fault.weight }, () => fault));
  const chosen = Array.from({ length: random.integer(1, concurrent) }, () => random.pick(weighted));
  const alone = chosen.find((fault) => fault.alone);
  return alone ? [alone] : chosen;
}
