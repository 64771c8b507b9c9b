import { countActivity } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { repeat } from '@rewardhook/process';
import type { Logger } from '@rewardhook/process';
import type { Sweeper } from './sweepers.ts';

/** The home page counts newer rows itself, so this is not urgent. */
const intervalMs = 900_000;

/**
 * Counts the orders, deliveries and decisions of merchants by quarter-hour, for the home page of the console. Any number of
 * workers may count at the same time. `stop` ends a run before its next transaction.
 */
export function startActivityCounter(database: Database, log: Logger): Sweeper {
  const stopping = new AbortController();
  const counter = repeat('activity counter', intervalMs, log, () =>
    countActivity(database, {
      signal: stopping.signal,
      onError: (merchantId, error) =>
        log.warn('the activity of a merchant could not be counted and will be counted later', {
          merchantId,
          error,
        }),
    }),
  );
  return {
    async stop() {
      stopping.abort();
      await counter.stop();
    },
  };
}
