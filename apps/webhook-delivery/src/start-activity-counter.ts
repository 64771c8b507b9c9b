import { countActivity } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { repeat } from '@rewardhook/process';
import type { Logger } from '@rewardhook/process';
import type { Sweeper } from './sweepers.ts';

const intervalMs = 60_000;

/**
 * Counts what each merchant got in the quarter-hours that are over, for the home page of the console. Any number of workers
 * may count at the same time. `stop` ends a run before its next transaction.
 */
export function startActivityCounter(database: Database, log: Logger): Sweeper {
  const stopping = new AbortController();
  const counter = repeat('count of activity', intervalMs, log, async () => {
    await countActivity(database, { signal: stopping.signal });
  });
  return {
    async stop() {
      stopping.abort();
      await counter.stop();
    },
  };
}
