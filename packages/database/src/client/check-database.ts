import { existsSync, readdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { probeDatabase } from './client.ts';
import type { Sql } from './client.ts';
import { DatabaseProblem, databaseProblemOf, notMigrated } from './database-errors.ts';
import { migrationsFolder } from '../migrations/migration-files.ts';
import { findMissingKeys } from '../merchants/sealed-secrets.ts';
import type { Sealer } from '../merchants/sealer.ts';

/**
 * Checks that the database responds and has all migrations of this version, and that SECRETS_KEY opens its secrets.
 * @throws DatabaseProblem
 */
export async function checkDatabase(database: Sql, sealer?: Sealer): Promise<void> {
  try {
    await checkMigrations(database);
    if (sealer) await checkSecretsKey(database, sealer);
  } catch (error) {
    throw databaseProblemOf(error) ?? error;
  }
}

async function checkMigrations(database: Sql): Promise<void> {
  const applied = await database.query<{ name: string }>(
    `SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
  );
  if (!existsSync(migrationsFolder)) return;
  const names = readdirSync(migrationsFolder).filter((name) => /^\d/.test(name));
  const known = new Set(applied.map(({ name }) => name));
  if (!names.every((name) => known.has(name))) throw new DatabaseProblem('not_migrated', notMigrated);
}

async function checkSecretsKey(database: Sql, sealer: Sealer): Promise<void> {
  const { missing, opensAny } = await findMissingKeys(database, sealer);
  if (missing.length === 0) return;
  throw new DatabaseProblem(
    'wrong_key',
    opensAny
      ? `SECRETS_KEY lacks a key that stored secrets were sealed with (${missing.join(', ')}): add it after the others. ` +
          'Remove a key only when "secrets status" shows that it opens no secret.'
      : 'SECRETS_KEY is not the key that the stored secrets were sealed with: set the one that was used before.',
  );
}

/** The time between two checks of a database that cannot be used, in milliseconds. */
const checkIntervalMs = 2_000;

/**
 * The time between two checks of SECRETS_KEY, in milliseconds: the first merchant may be created after the start, with
 * another key. Shorter than the time in which jobs that fail because of the key are parked.
 */
const keyIntervalMs = 10_000;

/**
 * Checks the database of a process that has started until it can be used and written, and logs each problem once. Settings of a pooled
 * session that cannot be used end the process. A wrong SECRETS_KEY ends it too, also later: waiting does not help, and secrets
 * that it sealed could not be opened. The heartbeat of the process reports it.
 */
export function watchDatabase(
  database: Sql,
  context: {
    log: Record<'info' | 'warn', (message: string) => void>;
    fail(reason: string): void;
    release(name: string, close: () => unknown): void;
    status?: { problem?: 'wrong_key' | undefined };
  },
  sealer?: Sealer,
): void {
  const stopping = new AbortController();
  const pause = (ms: number) => setTimeout(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
  const watch = async () => {
    let logged = '';
    while (!stopping.signal.aborted) {
      const problem = await checkDatabase(database, sealer)
        .then(() => probeDatabase(database))
        .catch(
          (error: unknown) =>
            databaseProblemOf(error) ?? new DatabaseProblem('unavailable', String(error), error),
        );
      if (stopping.signal.aborted) return;
      if (problem?.kind === 'wrong_key' && context.status) context.status.problem = 'wrong_key';
      if (problem?.kind === 'wrong_key' || problem?.kind === 'wrong_settings')
        return context.fail(problem.message);
      if (!problem) {
        if (logged) context.log.info('The database can be used now.');
        return sealer && watchKey(sealer);
      }
      if (problem.message !== logged) context.log.warn(`${problem.message} Waiting for it.`);
      logged = problem.message;
      await pause(checkIntervalMs);
    }
  };
  const watchKey = async (key: Sealer) => {
    while (!stopping.signal.aborted) {
      await pause(keyIntervalMs);
      // Readiness reports an outage.
      const problem = await checkSecretsKey(database, key).catch(databaseProblemOf);
      if (stopping.signal.aborted || problem?.kind !== 'wrong_key') continue;
      if (context.status) context.status.problem = 'wrong_key';
      return context.fail(problem.message);
    }
  };
  void watch();
  // A query in progress ends with the connections, which are released after this.
  context.release('watch of the database', () => stopping.abort());
}
