import type { RetentionPolicy } from '@rewardhook/process';
import { pruneAuditEntries } from '../audit/audit-entries.ts';
import type { Sql } from '../client/client.ts';
import { pruneDeliveries } from './prune-deliveries.ts';
import { isNeededByDeliveries, leaveGapInFeed } from './prune-events.ts';
import { listPartitions, prunePartitions } from './prune-partitions.ts';
import type { PartitionedTable } from './prune-partitions.ts';
import { pruneDecisions, pruneDefaultPartition, pruneSmallTable } from './prune-rows.ts';
import type { SmallTable } from './prune-rows.ts';
import { PruneRun } from './prune-run.ts';
import type { TablePruning } from './prune-run.ts';
import { clickCountDays, clickMarginDays, dayMs, requestCountDays, requestDays } from './retention-policy.ts';

/** What a run has done. */
export interface Pruning {
  tables: TablePruning[];
  /** The longest statement in milliseconds, with the time that it waited for locks. */
  longestStatementMs: number;
}

export interface PruneOptions {
  /** The time from which ages are counted; default: the database's clock. */
  now?: Date;
  /** Ends the run before its next statement. */
  signal?: AbortSignal;
}

/**
 * Deletes what the policy does not keep: drops old partitions of attempts, events, clicks and requests, and deletes rows of other
 * tables in batches. Adds the partitions of the next days. No statement takes long or waits for a lock for more than
 * 0.1 s. Deliveries that are pending or held are kept with their events.
 * @throws PruningInterrupted when another process is pruning, or at the signal
 */
export async function pruneDatabase(
  database: Sql,
  policy: RetentionPolicy,
  { now, signal }: PruneOptions = {},
): Promise<Pruning> {
  const run = new PruneRun(database, now ?? (await readNow(database)), signal);
  const before = (days: number) => new Date(run.now.getTime() - days * dayMs);
  const tables: TablePruning[] = [];
  const report = async (table: string, until: Date, work: () => Promise<Partial<TablePruning>>) => {
    const done = await work();
    const { rowsDeleted = 0, partitionsAdded = [], partitionsDropped = [], partitionsKept = [] } = done;
    await recordPruning(run, table, until);
    tables.push({
      table,
      until: until.toISOString(),
      rowsDeleted,
      partitionsAdded,
      partitionsDropped,
      partitionsKept,
    });
  };
  const prunePartitionsAndRest = async (
    table: PartitionedTable,
    key: string,
    keptDays: number,
    hooks: Parameters<typeof prunePartitions>[3] = {},
    condition = 'true',
  ) => {
    const until = before(keptDays);
    await report(table, until, async () => {
      const partitions = await prunePartitions(run, table, { keptDays, until }, hooks);
      const [first] = await listPartitions(database, table);
      const outside = first && first.since < until ? first.since : until;
      const time = key.slice(key.lastIndexOf(' ') + 1);
      const rowsDeleted = await pruneDefaultPartition(run, { table, key, time, condition }, outside);
      return { ...partitions, rowsDeleted };
    });
  };

  const { attemptsDays, eventsDays, decisionsDays, noticesDays, replaysDays, auditDays } = policy;
  await prunePartitionsAndRest('attempts', 'delivery_id, number, started_at', attemptsDays);
  await report('deliveries', before(eventsDays), async () => ({
    rowsDeleted: await pruneDeliveries(run, before(eventsDays)),
  }));
  await prunePartitionsAndRest(
    'events',
    'merchant_id, id, created_at',
    eventsDays,
    { isNeeded: isNeededByDeliveries, beforeDrop: leaveGapInFeed },
    `NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.merchant_id = old.merchant_id AND d.event_id = old.id)`,
  );
  await prunePartitionsAndRest('clicks', 'id, clicked_at', await clickDays(database));
  await prunePartitionsAndRest('requests', 'merchant_id, id, at', requestDays);
  await report('decisions', before(decisionsDays), async () => ({
    rowsDeleted: await pruneDecisions(run, await prunedUntil(database, 'decisions'), before(decisionsDays)),
  }));
  await report('audit_entries', before(auditDays), async () => {
    let rowsDeleted = 0;
    await run.inBatches(async (tx, limit) => {
      const count = await pruneAuditEntries(tx, { days: auditDays, limit });
      rowsDeleted += count;
      return count;
    });
    return { rowsDeleted };
  });
  const smallTables: [SmallTable, number][] = [
    ['notices', noticesDays],
    ['replays', replaysDays],
    ['problems', noticesDays],
    ['invitations', noticesDays],
    ['password_resets', expiredDays],
    ['contact_confirmations', expiredDays],
    ['sessions', expiredDays],
    ['sign_ups', expiredDays],
    // A secret that is of no use is not kept.
    ['former_identity_secrets', 0],
    ['click_counts', clickCountDays],
    ['request_counts', requestCountDays],
    ['attempt_counts', attemptsDays],
    ['wipes', auditDays],
  ];
  for (const [table, days] of smallTables)
    await report(table, before(days), async () => ({
      rowsDeleted: await pruneSmallTable(run, table, before(days)),
    }));
  return { tables, longestStatementMs: Math.ceil(run.longestStatementMs) };
}

/**
 * Counts what a run would delete, roughly: partitions whose time has passed, although deliveries may need some, and rows of the
 * larger tables without partitions, at most 10,001 of each.
 */
export async function previewPruning(
  database: Sql,
  policy: RetentionPolicy,
): Promise<Record<string, number>> {
  const now = await readNow(database);
  const before = (days: number) => new Date(now.getTime() - days * dayMs);
  const partitionsBefore = async (table: PartitionedTable, days: number) =>
    (await listPartitions(database, table)).filter(({ until }) => until <= before(days)).length;
  const [rows] = await database.query<{ deliveries: number; audit: number }>(
    `SELECT (
       SELECT count(*)::int FROM (
         SELECT 1 FROM merchants m CROSS JOIN LATERAL (
           SELECT 1 FROM deliveries WHERE merchant_id = m.id AND created_at < $1
             AND state IN ('delivered', 'exhausted', 'cancelled') LIMIT 10001) old
         LIMIT 10001) bounded) AS deliveries,
       (SELECT count(*)::int FROM (SELECT 1 FROM audit_entries WHERE at < $2 LIMIT 10001) bounded) AS audit`,
    [before(policy.eventsDays), before(policy.auditDays)],
  );
  return {
    attemptsPartitions: await partitionsBefore('attempts', policy.attemptsDays),
    eventsPartitions: await partitionsBefore('events', policy.eventsDays),
    clicksPartitions: await partitionsBefore('clicks', await clickDays(database)),
    requestsPartitions: await partitionsBefore('requests', requestDays),
    deliveries: rows?.deliveries ?? 0,
    auditEntries: rows?.audit ?? 0,
  };
}

/** Days for which links and sessions are kept after they have expired. */
const expiredDays = 1;

/** Clicks are kept for the longest attribution window of any merchant, and some days more. */
async function clickDays(database: Sql): Promise<number> {
  const [row] = await database.query<{ days: number }>(
    `SELECT coalesce(max(attribution_days), 30) + ${clickMarginDays} AS days FROM merchants`,
  );
  return row?.days ?? 30 + clickMarginDays;
}

async function readNow(database: Sql): Promise<Date> {
  const [row] = await database.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  return row?.now ?? new Date();
}

/** The time until which a table was pruned by the last complete run; null before the first one. */
async function prunedUntil(database: Sql, table: string): Promise<Date | null> {
  const [found] = await database.query<{ until: Date }>(
    'SELECT pruned_until AS until FROM prunings WHERE table_name = $1',
    [table],
  );
  return found?.until ?? null;
}

function recordPruning(run: PruneRun, table: string, until: Date): Promise<unknown> {
  return run.step((tx) =>
    tx.query(
      `INSERT INTO prunings (table_name, pruned_until, finished_at) VALUES ($1, $2, clock_timestamp())
       ON CONFLICT (table_name) DO UPDATE
       SET pruned_until = greatest(excluded.pruned_until, prunings.pruned_until), finished_at = excluded.finished_at`,
      [table, until],
    ),
  );
}
