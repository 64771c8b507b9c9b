import type { Queryable } from '../client/client.ts';
import { checkViolation, sqlState } from '../client/database-errors.ts';
import type { PruneRun, TablePruning } from './prune-run.ts';
import { dayMs, partitionDays } from './retention-policy.ts';

/** The tables that are partitioned by time, and the column of the time. */
const partitionedTables = {
  attempts: 'started_at',
  clicks: 'clicked_at',
  events: 'created_at',
  requests: 'at',
} as const;

export type PartitionedTable = keyof typeof partitionedTables;

/** A partition: from `since` inclusive until `until` exclusive. */
export interface Partition {
  name: string;
  since: Date;
  until: Date;
}

/** The number of days ahead for which partitions exist at least, so that rows have one while no pruner runs. */
const daysAhead = 7;

/** The partitions of a table without the default one, oldest first. */
export function listPartitions(database: Queryable, table: PartitionedTable): Promise<Partition[]> {
  return database.query<Partition & Record<string, unknown>>(
    'SELECT name::text, since, until FROM rules.partitions WHERE parent = $1 ORDER BY since',
    [table],
  );
}

/**
 * Adds the partitions of the next days and drops those whose rows were all created before `until`. The hooks run in the
 * transaction that drops a partition: `isNeeded` says whether it must be kept, and `beforeDrop` returns a function that
 * runs after the drop.
 */
export async function prunePartitions(
  run: PruneRun,
  table: PartitionedTable,
  { keptDays, until }: { keptDays: number; until: Date },
  hooks: { isNeeded?: (tx: Queryable, partition: Partition) => Promise<boolean> } & {
    beforeDrop?: (tx: Queryable, partition: Partition) => Promise<() => Promise<void>>;
  } = {},
): Promise<Pick<TablePruning, 'partitionsAdded' | 'partitionsDropped' | 'partitionsKept'>> {
  const partitionsAdded = await addPartitions(run, table, keptDays);
  const partitionsDropped: string[] = [];
  const partitionsKept: TablePruning['partitionsKept'] = [];
  const old = (await listPartitions(run.database, table)).filter((partition) => partition.until <= until);
  let locked = false;
  for (const partition of old) {
    const { name } = partition;
    let needed = false;
    // A transaction that keeps a lock on one partition usually has one on all of them: the next run drops the rest.
    locked ||= !(await run.tryLocked(async (tx) => {
      needed = (await hooks.isNeeded?.(tx, partition)) ?? false;
      if (needed) return;
      const afterDrop = await hooks.beforeDrop?.(tx, partition);
      await tx.query('SELECT rules.drop_partition($1)', [name]);
      await afterDrop?.();
    }));
    if (needed) partitionsKept.push({ partition: name, reason: 'undelivered' });
    else if (locked) partitionsKept.push({ partition: name, reason: 'locked' });
    else partitionsDropped.push(name);
  }
  return { partitionsAdded, partitionsDropped, partitionsKept };
}

/**
 * Adds the partitions that are missing for the next days, after the last one. When many rows have no partition, because
 * none was added for days, they stay in the default partition, and the next partition starts tomorrow. Returns the names.
 */
async function addPartitions(run: PruneRun, table: PartitionedTable, keptDays: number): Promise<string[]> {
  const added: string[] = [];
  const width = partitionDays(keptDays) * dayMs;
  const today = Math.floor(run.now.getTime() / dayMs) * dayMs;
  let earliest = 0;
  for (;;) {
    const last = (await listPartitions(run.database, table)).at(-1);
    const end = new Date(Math.max(last?.until.getTime() ?? today, earliest));
    if (end.getTime() >= run.now.getTime() + daysAhead * dayMs) return added;
    const until = new Date(end.getTime() + width);
    try {
      const succeeded = await run.tryLocked(async (tx) => {
        await tx.query('SELECT rules.add_partition($1, $2::date, $3::date)', [
          table,
          utcDay(end),
          utcDay(until),
        ]);
      });
      // Until the next run, rows without a partition are in the default one.
      if (!succeeded) return added;
    } catch (error) {
      if (sqlState(error) !== checkViolation || earliest > 0) throw error;
      earliest = today + dayMs;
      continue;
    }
    added.push(`${table}_p${utcDay(end).replaceAll('-', '')}`);
  }
}

const utcDay = (at: Date) => at.toISOString().slice(0, 10);

/**
 * Counts rows that were created after the last partition, up to 10,000 of each table: the pruner has not run for days, or
 * a clock is ahead. They are in the default partition.
 */
export const rowsAfterPartitionsSql = `SELECT ${Object.entries(partitionedTables)
  .map(
    ([table, time]) => `(
      SELECT count(*) FROM (
        SELECT 1 FROM ${table}
        WHERE ${time} >= (SELECT coalesce(max(until), '-infinity') FROM rules.partitions WHERE parent = '${table}')
        LIMIT 10000) later)`,
  )
  .join(' + ')}`;
