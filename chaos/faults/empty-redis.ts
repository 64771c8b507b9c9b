import { waitFor } from '@rewardhook/local-stack';
import { redisCommand } from '../../tests/harness/redis-command.ts';
import type { Fault } from './fault.ts';

/**
 * Empties Redis as soon as `sync` has nothing to do. From then on all data is in PostgreSQL, and order versions continue
 * from the clock.
 */
export const emptyRedis: Fault = {
  name: 'empty-redis',
  weight: 2,
  alone: true,
  async inject({ load, queues, stack }) {
    await load.pause();
    try {
      const syncIsIdle = async () => (await queues.pending('sync')) === 0;
      await waitFor(syncIsIdle, { deadlineMs: 120_000, everyMs: 5, what: 'the end of all sync jobs' });
      const keys = await redisCommand(stack.redisUrl, 'DBSIZE');
      await redisCommand(stack.redisUrl, 'FLUSHALL');
      return `${keys} keys`;
    } finally {
      load.resume();
    }
  },
};
