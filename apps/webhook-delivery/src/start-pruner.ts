import { isPruningDue, pruneDatabase, PruningInterrupted } from '@rewardhook/database';
import type { Database, RetentionPolicy } from '@rewardhook/database';
import { repeat } from '@rewardhook/process';
import type { ProcessContext } from '@rewardhook/process';
import type { Sweeper } from './sweepers.ts';

const checkIntervalMs = 60_000;
/** Seconds between two runs, of all workers together. */
const intervalSeconds = 3_600;

/**
 * Deletes what the policy does not keep, and adds the partitions of the next days: once an hour, in one worker at a
 * time. `stop` ends a run before its next statement.
 */
export function startPruner(
  database: Database,
  policy: RetentionPolicy,
  { log, metrics }: Pick<ProcessContext, 'log' | 'metrics'>,
): Sweeper {
  const stopping = new AbortController();
  const deleted = metrics.counter(
    'rows_pruned_total',
    'Rows deleted by the pruner, without those of partitions',
    ['table'],
  );
  const dropped = metrics.counter('partitions_dropped_total', 'Partitions dropped by the pruner', ['table']);
  const pruner = repeat('prune', checkIntervalMs, log, async () => {
    if (!(await isPruningDue(database, intervalSeconds))) return;
    try {
      const { tables, longestStatementMs } = await pruneDatabase(database, policy, {
        signal: stopping.signal,
      });
      for (const { table, rowsDeleted, partitionsDropped } of tables) {
        if (rowsDeleted > 0) deleted.inc({ table }, rowsDeleted);
        if (partitionsDropped.length > 0) dropped.inc({ table }, partitionsDropped.length);
      }
      const changed = tables.filter(
        ({ rowsDeleted, partitionsAdded, partitionsDropped, partitionsKept }) =>
          rowsDeleted + partitionsAdded.length + partitionsDropped.length + partitionsKept.length > 0,
      );
      if (changed.length > 0) log.info('old rows were deleted', { longestStatementMs, tables: changed });
    } catch (error) {
      if (!(error instanceof PruningInterrupted)) throw error;
    }
  });
  return {
    async stop() {
      stopping.abort();
      await pruner.stop();
    },
  };
}
