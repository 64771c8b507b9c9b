import { setTimeout } from 'node:timers/promises';
import { transact } from '../client/client.ts';
import type { Sql, Queryable } from '../client/client.ts';
import { lockNotAvailable, sqlState } from '../client/database-errors.ts';

/** What a run has done to one table. */
export interface TablePruning {
  table: string;
  /** Rows that were created before this time were deleted, if nothing needs them. ISO 8601 in UTC. */
  until: string;
  rowsDeleted: number;
  partitionsAdded: string[];
  partitionsDropped: string[];
  /** Partitions that are older and were kept, and why. */
  partitionsKept: { partition: string; reason: 'undelivered' | 'locked' }[];
}

/** Another process is pruning, or this one is about to end. */
export class PruningInterrupted extends Error {}

/** A statement takes about this long, in milliseconds: the number of rows of the next one is adapted. */
const statementMs = 100;
const rowLimits = { first: 500, least: 50, most: 5_000 };

/** How long a statement waits for a lock, in milliseconds: what waits behind it waits as long. */
const lockTimeoutMs = 100;

/**
 * One run of the pruner. Its steps are short transactions. Each takes the lock of the pruner until it ends, so that two
 * processes never prune at the same time, whatever connections a pooler gives them. After each step the run pauses for
 * as long as the step took.
 */
export class PruneRun {
  readonly database: Sql;
  /** The time from which ages are counted. */
  readonly now: Date;
  readonly #signal: AbortSignal | undefined;
  #rows = rowLimits.first;
  /** The longest statement so far, in milliseconds, with its waits. */
  longestStatementMs = 0;

  constructor(database: Sql, now: Date, signal?: AbortSignal) {
    this.database = database;
    this.now = now;
    this.#signal = signal;
  }

  /** Runs one step in a transaction. @throws PruningInterrupted */
  async step<T>(run: (tx: Queryable) => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await transact(this.database, async (tx) => {
        const [lock] = await tx.query<{ acquired: boolean }>(
          `SELECT pg_try_advisory_xact_lock(hashtext('rewardhook prune')) AS acquired,
             set_config('lock_timeout', '${lockTimeoutMs}ms', true)`,
        );
        if (!lock?.acquired) throw new PruningInterrupted('another process is pruning');
        return run(this.#timed(tx));
      });
    } finally {
      await this.#pause(performance.now() - started);
    }
  }

  /** Runs steps until one considers fewer rows than its limit; `run` returns how many it considered. */
  async inBatches(run: (tx: Queryable, limit: number) => Promise<number>): Promise<void> {
    for (let more = true; more;) {
      const limit = this.#rows;
      const started = performance.now();
      more = (await this.step((tx) => run(tx, limit))) >= limit;
      const factor = statementMs / Math.max(1, (performance.now() - started) / 2);
      const adapted = Math.round(limit * Math.min(2, Math.max(0.25, factor)));
      this.#rows = Math.min(rowLimits.most, Math.max(rowLimits.least, adapted));
    }
  }

  /** Runs a step that needs an exclusive lock, several times if need be. Returns whether it succeeded. */
  async tryLocked(run: (tx: Queryable) => Promise<void>): Promise<boolean> {
    for (let tries = 1; tries <= 5; tries += 1)
      try {
        await this.step(run);
        return true;
      } catch (error) {
        if (sqlState(error) !== lockNotAvailable) throw error;
        await this.#pause(lockTimeoutMs * tries);
      }
    return false;
  }

  #timed(tx: Queryable): Queryable {
    const timed = async <T>(run: () => Promise<T>): Promise<T> => {
      const started = performance.now();
      try {
        return await run();
      } finally {
        this.longestStatementMs = Math.max(this.longestStatementMs, performance.now() - started);
      }
    };
    return {
      query: (text, values) => timed(() => tx.query(text, values)),
      execute: (text, values) => timed(() => tx.execute(text, values)),
    };
  }

  async #pause(milliseconds: number): Promise<void> {
    if (this.#signal?.aborted) throw new PruningInterrupted('the process ends');
    await setTimeout(milliseconds, undefined, this.#signal ? { signal: this.#signal } : {}).catch(() => {
      throw new PruningInterrupted('the process ends');
    });
  }
}
