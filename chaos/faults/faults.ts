import type { Random } from '../../tests/harness/service-under-load/random.ts';
import { emptyRedis } from './empty-redis.ts';
import type { Fault } from './fault.ts';
import { fillRedis } from './fill-redis.ts';
import { freeze } from './freeze-process.ts';
import { kill } from './kill.ts';
import { breakReceiver } from './break-receiver.ts';

/** All faults. */
const faults: Fault[] = [kill, freeze, breakReceiver, emptyRedis, fillRedis];

/** Chooses the next fault, or two at the same time. */
export function chooseFaults(random: Random): Fault[] {
  const first = random.pick(weighted(faults));
  if (first.alone || !random.chance(0.3)) return [first];
  return [first, random.pick(weighted(faults.filter((fault) => !fault.alone && fault !== first)))];
}

function weighted(choices: Fault[]): Fault[] {
  return choices.flatMap((fault) => Array.from({ length: fault.weight }, () => fault));
}
