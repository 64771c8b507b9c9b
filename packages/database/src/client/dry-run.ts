/** Ends the transaction of a dry run. */
class RolledBack<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super('a dry run is rolled back');
    this.result = result;
  }
}

/**
 * Runs statements in the transaction that `transaction` opens. A dry run is rolled back: its result is exact, nothing is changed, and its
 * locks are held for the same time.
 */
export function runOrRollBack<Tx, T>(
  transaction: (body: (tx: Tx) => Promise<T>) => Promise<T>,
  run: (tx: Tx) => Promise<T>,
  { dryRun }: { dryRun: boolean },
): Promise<T> {
  if (!dryRun) return transaction(run);
  return transaction(async (tx): Promise<T> => {
    throw new RolledBack(await run(tx));
  }).catch((error: unknown) => {
    if (error instanceof RolledBack) return error.result as T;
    throw error;
  });
}
