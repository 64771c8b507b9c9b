import { existsSync, readdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Database } from './client.ts';
import { sqlState } from './database-errors.ts';
import { migrationsFolder } from '../migrations/migrate.ts';
import { identitySecretContext, SealError } from '../merchants/sealer.ts';
import type { Sealer } from '../merchants/sealer.ts';

/** Why nothing can be read or written: PostgreSQL does not answer, lacks tables, or SECRETS_KEY is another one. */
export class DatabaseProblem extends Error {
  readonly kind: 'away' | 'not_migrated' | 'wrong_key';

  constructor(kind: DatabaseProblem['kind'], message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

const refusals: Record<string, string> = {
  '28P01': 'PostgreSQL refuses the user or the password in DATABASE_URL.',
  '28000': 'PostgreSQL refuses the user in DATABASE_URL.',
  P1000: 'PostgreSQL refuses the user or the password in DATABASE_URL.',
  '3D000': 'The database in DATABASE_URL does not exist.',
  P1003: 'The database in DATABASE_URL does not exist.',
};

/** What is wrong with the database as a whole when this error came of a query; undefined when it is the query itself. */
export function databaseProblemOf(error: unknown): DatabaseProblem | undefined {
  if (error instanceof DatabaseProblem) return error;
  const { code = '', message = '' } = (error ?? {}) as { code?: string; message?: string };
  const state = sqlState(error) ?? code;
  const refusal = refusals[state] ?? refusals[code];
  if (refusal !== undefined) return new DatabaseProblem('away', refusal, error);
  if (/^(42P01|3F000)$/.test(state) || code === 'P2021')
    return new DatabaseProblem('not_migrated', notMigrated, error);
  const away =
    /^(P1001|P1002|P1008|P1017|P2024|P2028|ECONN\w+|ENOTFOUND|EAI_\w+|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE|57P0\d|08\w{3}|53300|57014)$/;
  const words =
    /^connect E|can't reach database|connection (terminated|timeout)|timeout exceeded when trying to connect/i;
  if (away.test(state) || away.test(code) || words.test(message))
    return new DatabaseProblem('away', 'PostgreSQL cannot be reached, or does not answer.', error);
  return undefined;
}

const notMigrated =
  'The database is not migrated to this version: run node packages/database/dist/migrate-main.js first.';

/** How many sealed secrets are tried before the key is called wrong: one of them may be damaged by itself. */
const secretsTried = 5;

/**
 * Checks that the database answers, has all migrations of this version, and that its secrets open.
 * @throws DatabaseProblem
 */
export async function checkDatabase(database: Database, sealer?: Sealer): Promise<void> {
  try {
    await checkMigrations(database);
    if (sealer) await checkSecretsKey(database, sealer);
  } catch (error) {
    throw databaseProblemOf(error) ?? error;
  }
}

async function checkMigrations(database: Database): Promise<void> {
  const applied = await database.query<{ name: string }>(
    `SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
  );
  if (!existsSync(migrationsFolder)) return;
  const names = readdirSync(migrationsFolder).filter((name) => /^\d/.test(name));
  const known = new Set(applied.map(({ name }) => name));
  if (!names.every((name) => known.has(name))) throw new DatabaseProblem('not_migrated', notMigrated);
}

async function checkSecretsKey(database: Database, sealer: Sealer): Promise<void> {
  const merchants = await database.merchant.findMany({
    select: { id: true, identitySecret: true },
    orderBy: { id: 'asc' },
    take: secretsTried,
  });
  const opens = ({ id, identitySecret }: { id: string; identitySecret: string }) => {
    try {
      return sealer.open(identitySecret, identitySecretContext(id)) !== '';
    } catch (error) {
      if (error instanceof SealError) return false;
      throw error;
    }
  };
  if (merchants.length > 0 && !merchants.some(opens))
    throw new DatabaseProblem(
      'wrong_key',
      'SECRETS_KEY is not the key that the stored secrets were sealed with: set the one that was used before.',
    );
}

/** How long after a problem it is looked again, in milliseconds. */
const lookAgainMs = 2_000;

/**
 * Says in the log, once for each problem, what keeps a process from the database after its start, and when it is over. A
 * wrong SECRETS_KEY ends the process: waiting does not help, and what it would seal nobody could open.
 */
export function watchDatabase(
  database: Database,
  context: {
    log: Record<'info' | 'warn', (message: string) => void>;
    fail(reason: string): void;
    release(name: string, close: () => unknown): void;
  },
  sealer?: Sealer,
): void {
  const stopping = new AbortController();
  const watch = async () => {
    let said = '';
    while (!stopping.signal.aborted) {
      const problem = await checkDatabase(database, sealer).then(
        () => undefined,
        (error: unknown) => databaseProblemOf(error) ?? new DatabaseProblem('away', String(error), error),
      );
      if (stopping.signal.aborted) return;
      if (problem?.kind === 'wrong_key') return context.fail(problem.message);
      if (!problem) {
        if (said) context.log.info('The database can be used now.');
        return;
      }
      if (problem.message !== said) context.log.warn(`${problem.message} Waiting for it.`);
      said = problem.message;
      await setTimeout(lookAgainMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  void watch();
  // A query under way ends with the connections, which are released after this.
  context.release('watch of the database', () => stopping.abort());
}
