import { setTimeout } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import type { Client } from 'pg';
import { readOnly } from '../client/database-errors.ts';
import { describeLockHolders } from './lock-waits.ts';
import { inLockedTransaction, withMigrator } from './migration-connection.ts';
import type { MigratorOptions } from './migration-connection.ts';
import { readMigrations } from './migration-files.ts';
import type { MigrationFile } from './migration-files.ts';
import { findNextMigration, recordMigration } from './migration-history.ts';

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

/** A migration failed, and was rolled back. */
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
  const applied: string[] = [];
  return withMigrator(options, async (client) => {
    for (;;) {
      const name = await applyNext(client, options);
      if (name === undefined) return applied;
      options.report?.(`Applied ${name}`);
      applied.push(name);
    }
  });
}

/** Applies the next missing migration and returns its name; undefined when none is missing. */
async function applyNext(client: Client, options: MigrateOptions): Promise<string | undefined> {
  const { report, files = readMigrations(), lockTries = 30, lockTimeoutMs = 2_000 } = options;
  for (let tries = 1; ; tries += 1) {
    let next: MigrationFile | undefined;
    try {
      return await inLockedTransaction(client, report, async () => {
        next = await findNextMigration(client, files);
        if (!next) return undefined;
        await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
        await client.query(next.sql);
        await recordMigration(client, next);
        return next.name;
      });
    } catch (error) {
      if (!(error instanceof DatabaseError) || next === undefined || error.code === readOnly) throw error;
      if (!lockStates.has(error.code ?? '')) throw failure(next, error);
      const holders = await describeLockHolders(client);
      const waits = `${next.name} waits for a lock on a table. Transactions that hold locks:\n${holders.join('\n')}`;
      if (tries >= lockTries)
        throw new MigrationFailed(
          `${waits}\n  Gave up after ${tries} tries; nothing was changed. End these transactions, or run the migration when there are none.`,
        );
      report?.(`${waits}\n  It lets other statements pass and tries again: ${tries} of ${lockTries}.`);
      await setTimeout(Math.min(10_000, 500 * 2 ** tries) * (0.5 + Math.random() / 2));
    }
  }
}

function failure({ name, sql }: MigrationFile, error: DatabaseError): MigrationFailed {
  const position = Number(error.position ?? 0);
  const line = position > 0 ? `, line ${sql.slice(0, position).split('\n').length}` : '';
  const details = [error.detail, error.hint].filter(Boolean).map((text) => `\n  ${text}`);
  return new MigrationFailed(
    `${name}${line}: ${error.message} (${error.code})${details.join('')}\n  It was rolled back: correct it and run the migration again.`,
    { cause: error },
  );
}
