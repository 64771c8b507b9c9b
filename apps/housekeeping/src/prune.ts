import { pruneDatabase, PruningInterrupted } from '@rewardhook/database/operations';
import type { Sql } from '@rewardhook/database/stages';
import type { TaskPlan } from '@rewardhook/pipeline';
import type { ProcessContext, RetentionPolicy } from '@rewardhook/process';

/**
 * Returns the task that deletes what the policy does not keep, and adds the partitions of the next days. The signal ends a
 * run before its next statement.
 */
export function openPruner(
  database: Sql,
  policy: RetentionPolicy,
  { log, metrics }: Pick<ProcessContext, 'log' | 'metrics'>,
): TaskPlan['run'] {
  const deleted = metrics.counter(
    'rows_pruned_total',
    'Rows deleted by the pruner, without those of partitions',
    ['table'],
  );
  const dropped = metrics.counter('partitions_dropped_total', 'Partitions dropped by the pruner', ['table']);
  return async (signal) => {
    try {
      const { tables, longestStatementMs } = await pruneDatabase(database, policy, { signal });
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
  };
}
