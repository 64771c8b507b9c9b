import type { Random } from '../random.ts';
import type { Fault } from './fault.ts';
import { freeze } from './freeze-process.ts';
import { kill } from './kill-process.ts';
import { emptyRedis, fillRedis } from './redis-faults.ts';

/** The faults that are injected at random. */
const faults: readonly Fault[] = [kill, freeze, emptyRedis, fillRedis];

/** Chooses the next fault. */
export function chooseFault(random: Random): Fault {
  return random.pick(faults.flatMap((fault) => Array.from({ length: fault.weight }, () => fault)));
}
