import { setTimeout } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import type { Client } from 'pg';
import { describeLockHolders } from './lock-waits.ts';
import {
  connectMigrator,
  ensureMigrationTable,
  finishMigrationRow,
  hasTables,
  inLockedTransaction,
  insertMigrationRow,
  isPooled,
  listMigrationRows,
  noTimeouts,
} from './migration-connection.ts';
import type { MigratorOptions } from './migration-connection.ts';
import { readMigrations, splitStatements } from './migration-files.ts';
import type { MigrationFile } from './migration-files.ts';
import { checkHistory, compareHistory, MigrationRefused } from './migration-history.ts';

export interface MigrateOptions extends MigratorOptions {
  /** The migrations to apply. Default: those of this release. */
  files?: MigrationFile[];
  /**
   * How long a statement of a migration waits for a lock, in milliseconds. While it waits, other statements on the
   * table queue behind it. Default 2000.
   */
  lockTimeoutMs?: number;
  /** How often a migration is tried that could not lock a table. Default 30: about five minutes. */
  lockTries?: number;
}

/** A migration failed. It was rolled back, or will be repeated when it runs outside a transaction. */
export class MigrationFailed extends Error {}

/** SQLSTATEs of a lock that was not available in time, and of a deadlock. */
const lockStates = new Set(['55P03', '40P01']);

/**
 * Applies the migrations that are missing in the database, like `prisma migrate deploy`, and returns their names. Each
 * runs in one transaction together with its row in `_prisma_migrations`, so a failed one leaves nothing behind. Several
 * migrators can run at once: one applies, the others wait.
 * @throws MigrationRefused when the history of the database does not fit
 * @throws MigrationFailed when a statement fails, or a lock could not be taken
 */
export async function migrateDatabase(options: MigrateOptions): Promise<string[]> {
  const client = await connectMigrator(options);
  const applied: string[] = [];
  try {
    await inLockedTransaction(client, options.report, () => ensureMigrationTable(client));
    for (;;) {
      const name = await applyNext(client, options);
      if (name === undefined) return applied;
      options.report?.(`Applied ${name}`);
      applied.push(name);
    }
  } finally {
    await client.end();
  }
}

/** Applies the next missing migration and returns its name; undefined when none is missing. */
async function applyNext(client: Client, options: MigrateOptions): Promise<string | undefined> {
  const { report, files = readMigrations(), lockTries = 30 } = options;
  for (let tries = 1; ; tries += 1) {
    let name: string | undefined;
    try {
      return await inLockedTransaction(client, report, async () => {
        const history = compareHistory(files, await listMigrationRows(client));
        checkHistory(history, await hasTables(client));
        const [next] = history.pending;
        if (!next) return undefined;
        name = next.file.name;
        if (next.file.outsideTransaction) await applyOutside(options, next.file, next.row?.id);
        else await applyInside(client, next.file, options.lockTimeoutMs ?? 2_000);
        return name;
      });
    } catch (error) {
      if (!(error instanceof DatabaseError) || name === undefined) throw error;
      if (!lockStates.has(error.code ?? '')) throw failure(name, error, files);
      const holders = await describeLockHolders(client);
      const waits = `${name} waits for a lock on a table. Transactions that hold locks:\n${holders.join('\n')}`;
      if (tries >= lockTries)
        throw new MigrationFailed(
          `${waits}\n  Gave up after ${tries} tries; nothing was changed. End these transactions, or run the migration when there are none.`,
        );
      report?.(`${waits}\n  It lets other statements pass and tries again: ${tries} of ${lockTries}.`);
      await setTimeout(Math.min(10_000, 500 * 2 ** tries) * (0.5 + Math.random() / 2));
    }
  }
}

async function applyInside(client: Client, file: MigrationFile, lockTimeoutMs: number): Promise<void> {
  const id = await insertMigrationRow(client, file, false);
  await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
  await client.query(file.sql);
  await finishMigrationRow(client, id);
}

/**
 * Runs a script statement by statement on a connection of its own, while the caller's transaction holds the lock of
 * migrations. Its row remains when it fails, and the next run repeats it.
 */
async function applyOutside(options: MigrateOptions, file: MigrationFile, row?: string): Promise<void> {
  const client = await connectMigrator(options);
  try {
    if (!(await isPooled(client))) await client.query(noTimeouts, [false]);
    else if (!(await hasNoTimeout(client)))
      throw new MigrationRefused(
        `${file.name} runs outside a transaction, and its connection leads through a pooler and has a statement_timeout: set DATABASE_DIRECT_URL to an address of PostgreSQL itself`,
      );
    const id = row ?? (await insertMigrationRow(client, file, false));
    try {
      for (const statement of splitStatements(file.sql)) await client.query(statement);
    } catch (error) {
      // When the connection is lost, the row remains without the error.
      await client
        .query('UPDATE _prisma_migrations SET logs = $2 WHERE id = $1', [id, String(error)])
        .catch(() => undefined);
      throw error;
    }
    await client.query('UPDATE _prisma_migrations SET checksum = $2 WHERE id = $1', [id, file.checksum]);
    await finishMigrationRow(client, id);
  } finally {
    await client.end();
  }
}

async function hasNoTimeout(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ none: boolean }>(
    "SELECT current_setting('statement_timeout') = '0' AS none",
  );
  return rows[0]?.none ?? false;
}

function failure(name: string, error: DatabaseError, files: MigrationFile[]): MigrationFailed {
  const file = files.find((one) => one.name === name);
  const position = Number(error.position ?? 0);
  const line = position > 0 ? `, line ${file?.sql.slice(0, position).split('\n').length}` : '';
  const state = file?.outsideTransaction
    ? 'The next run repeats it.'
    : 'It was rolled back: correct it and run the migration again.';
  const details = [error.detail, error.hint].filter(Boolean).map((text) => `\n  ${text}`);
  return new MigrationFailed(
    `${name}${file?.outsideTransaction ? '' : line}: ${error.message} (${error.code})${details.join('')}\n  ${state}`,
    { cause: error },
  );
}
