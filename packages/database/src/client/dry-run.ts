import { transact } from './client.ts';
import type { Queryable, Sql } from './client.ts';

/** Ends the transaction of a dry run. */
class RolledBack<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super('a dry run is rolled back');
    this.result = result;
  }
}

/**
 * Runs statements in one transaction, as `transact` does. A dry run is rolled back: its result is exact, nothing is changed, and its
 * locks are held for the same time.
 */
export function transactOrRollBack<T>(
  database: Sql,
  run: (tx: Queryable) => Promise<T>,
  { dryRun }: { dryRun: boolean },
): Promise<T> {
  if (!dryRun) return transact(database, run);
  return transact(database, async (tx): Promise<T> => {
    throw new RolledBack(await run(tx));
  }).catch((error: unknown) => {
    if (error instanceof RolledBack) return error.result as T;
    throw error;
  });
}
