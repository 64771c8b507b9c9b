import type { MigrationFile } from './migration-files.ts';

/** A row of `_prisma_migrations`, the table in which Prisma records what was applied. */
export interface MigrationRow {
  id: string;
  name: string;
  checksum: string;
  startedAt: Date;
  finishedAt: Date | null;
  rolledBackAt: Date | null;
  /** The error of a migration that failed. */
  logs: string | null;
}

/** The migrations of this release compared with those of a database. */
export interface MigrationHistory {
  /** Applied, in the order of the release. */
  applied: { file: MigrationFile; row: MigrationRow }[];
  /** Not applied yet. With a row: it runs outside a transaction, did not finish, and will be repeated. */
  pending: { file: MigrationFile; row?: MigrationRow }[];
  /** Began outside of this program (`prisma migrate deploy`) and did not finish. */
  failed: MigrationRow[];
  /** Applied with a script that differs from the one of this release. */
  changed: MigrationFile[];
  /** Applied, and not part of this release: the names that a newer release added, or those of another history. */
  unknown: string[];
}

/** Compares the migrations of this release with the rows of a database. */
export function compareHistory(files: MigrationFile[], rows: MigrationRow[]): MigrationHistory {
  const current = new Map(rows.filter((row) => !row.rolledBackAt).map((row) => [row.name, row]));
  const history: MigrationHistory = { applied: [], pending: [], failed: [], changed: [], unknown: [] };
  for (const file of files) {
    const row = current.get(file.name);
    current.delete(file.name);
    if (!row) history.pending.push({ file });
    else if (row.finishedAt) {
      history.applied.push({ file, row });
      if (row.checksum !== file.checksum) history.changed.push(file);
    } else if (file.outsideTransaction) history.pending.push({ file, row });
    else history.failed.push(row);
  }
  for (const row of current.values()) {
    if (row.finishedAt) history.unknown.push(row.name);
    else history.failed.push(row);
  }
  return history;
}

/** The migrations cannot be applied; nothing was changed. The message says what to do. */
export class MigrationRefused extends Error {}

const otherHistory = `The schema of this database does not belong to this release.
  A local database without data that matters: npm run dev -- --fresh, or npm run stack -- --fresh.
  A database with data: use the release that created it, or restore a backup of this release.`;

/**
 * Checks that the missing migrations can be applied to a database.
 * @param hasTables whether it has tables of Rewardhook
 * @throws MigrationRefused
 */
export function checkHistory(history: MigrationHistory, hasTables: boolean): void {
  const { failed, changed, unknown, pending, applied } = history;
  if (failed[0])
    throw new MigrationRefused(
      `${failed[0].name} was started and did not finish: ${firstLine(failed[0].logs) ?? 'its process ended'}.
  Look at what it changed. When you have undone that: migrate resolve --rolled-back ${failed[0].name}
  When you have completed it by hand: migrate resolve --applied ${failed[0].name}`,
    );
  if (changed[0])
    throw new MigrationRefused(
      `${changed[0].name} was applied with another script than the one of this release. ${otherHistory}
  If only a comment of the script differs: migrate resolve --applied ${changed[0].name}`,
    );
  const startsAnew = applied.length === 0 && pending.length > 0;
  if (startsAnew && unknown[0])
    throw new MigrationRefused(
      `${unknown[0]} was applied, which is not a migration of this release, and ${pending[0]?.file.name} was not. ${otherHistory}`,
    );
  if (startsAnew && hasTables && !pending[0]?.row)
    throw new MigrationRefused(
      `The database has tables but no record of ${pending[0]?.file.name}. ${otherHistory}
  If it has the tables of this release: migrate resolve --applied <name>, for each migration in prisma/migrations`,
    );
}

function firstLine(logs: string | null): string | undefined {
  return logs?.split('\n').find((line) => line.trim() !== '');
}
