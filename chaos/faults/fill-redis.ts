import { setTimeout } from 'node:timers/promises';
import { redisCommand } from '../../tests/harness/redis-command.ts';
import type { Fault } from './fault.ts';

/** Sets Redis's memory limit so that Redis is nearly full (orders are refused) or over it (workers cannot fetch jobs). */
export const fillRedis: Fault = {
  name: 'fill-redis',
  weight: 2,
  async inject({ load, stack }, random) {
    const share = random.pick([0.9, 1.2]);
    const ms = Math.round(random.between(1_000, 6_000));
    await load.nextAccepted();
    const info = await redisCommand(stack.redisUrl, 'INFO', 'memory');
    const used = Number(/^used_memory:(\d+)/m.exec(info)?.[1]);
    const limit = (bytes: number) =>
      redisCommand(stack.redisUrl, 'CONFIG', 'SET', 'maxmemory', String(Math.round(bytes)));
    await limit(used / share);
    try {
      await setTimeout(ms);
    } finally {
      await limit(0);
    }
    return `to ${Math.round(share * 100)} % for ${ms} ms`;
  },
};
