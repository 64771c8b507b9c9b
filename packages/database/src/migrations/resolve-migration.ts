import {
  connectMigrator,
  ensureMigrationTable,
  finishMigrationRow,
  inLockedTransaction,
  insertMigrationRow,
  listMigrationRows,
} from './migration-connection.ts';
import type { MigratorOptions } from './migration-connection.ts';
import { readMigrations } from './migration-files.ts';
import type { MigrationFile } from './migration-files.ts';
import { compareHistory, MigrationRefused } from './migration-history.ts';
import type { MigrationHistory } from './migration-history.ts';

export interface ResolveOptions extends MigratorOptions {
  /** Default: the migrations of this release. */
  files?: MigrationFile[];
}

/** Compares the migrations of this release with those of the database; changes nothing. */
export async function readMigrationStatus(options: ResolveOptions): Promise<MigrationHistory> {
  const client = await connectMigrator(options);
  try {
    return compareHistory(options.files ?? readMigrations(), await listMigrationRows(client));
  } finally {
    await client.end();
  }
}

/**
 * Records that a migration is applied, with the script of this release, because its changes were made by hand or its
 * script differs in a comment only. Does not run it.
 * @throws MigrationRefused when this release has no such migration, or it is applied
 */
export async function markApplied(options: ResolveOptions, name: string): Promise<void> {
  const client = await connectMigrator(options);
  const files = options.files ?? readMigrations();
  try {
    await inLockedTransaction(client, options.report, async () => {
      await ensureMigrationTable(client);
      const file = files.find((one) => one.name === name);
      if (!file) throw new MigrationRefused(`This release has no migration ${name}: ${namesOf(files)}`);
      const history = compareHistory(files, await listMigrationRows(client));
      const row = [
        ...history.failed,
        ...history.pending.flatMap((one) => one.row ?? []),
        ...history.applied.filter(({ file: one }) => history.changed.includes(one)).map((one) => one.row),
      ].find((one) => one.name === name);
      if (!row && history.applied.some((one) => one.file.name === name))
        throw new MigrationRefused(`${name} is applied already.`);
      const id = row?.id ?? (await insertMigrationRow(client, file, true));
      await client.query('UPDATE _prisma_migrations SET checksum = $2 WHERE id = $1', [id, file.checksum]);
      if (row && !row.finishedAt) await finishMigrationRow(client, id);
    });
  } finally {
    await client.end();
  }
}

/**
 * Records that a migration that did not finish was undone by hand. The next run applies it again.
 * @throws MigrationRefused when no such migration is unfinished
 */
export async function markRolledBack(options: ResolveOptions, name: string): Promise<void> {
  const client = await connectMigrator(options);
  try {
    await inLockedTransaction(client, options.report, async () => {
      await ensureMigrationTable(client);
      const { rowCount } = await client.query(
        `UPDATE _prisma_migrations SET rolled_back_at = clock_timestamp()
         WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL`,
        [name],
      );
      if (rowCount === 0)
        throw new MigrationRefused(`${name} is not unfinished: migrate status lists the migrations.`);
    });
  } finally {
    await client.end();
  }
}

function namesOf(files: MigrationFile[]): string {
  return files.map(({ name }) => name).join(', ');
}
