import { setTimeout } from 'node:timers/promises';
import { readDatabaseUrl } from '@rewardhook/process';
import { Client } from 'pg';
import { databaseProblemOf } from '../client/database-errors.ts';
import { sessionSettings, setConfigSql } from '../client/session.ts';

/** Where a migrator connects to, and what it reports. */
export interface MigratorOptions {
  /** The URL of the owner of the tables; best without a connection pooler. */
  url: string;
  /** Receives lines about progress and waiting. */
  report?: ((line: string) => void) | undefined;
}

/** Prisma's key of the lock of its migrations: `prisma migrate deploy` and this program exclude each other. */
const lockKey = 72_707_369;

const pollMs = 500;

/** How many polls pass between two lines about waiting. */
const pollsPerReport = 20;

/** Time-outs that do not apply to migrations. A release of PostgreSQL without one of them ignores it. */
const noTimeouts = `SELECT set_config(name, '0', true) FROM pg_settings WHERE name IN
  ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;

/** The settings that the migrator's transaction has, whatever the server, the database and the role have set. */
const pinnedSettings = `SELECT ${setConfigSql(sessionSettings, true)}`;

/**
 * Runs the work of a migrator on a connection. While the database accepts no writes it waits, and then runs the work again, on
 * another connection, because a session can keep that it is read-only.
 */
export async function withMigrator<T>(
  options: MigratorOptions,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  for (let polls = 0; ; polls += 1) {
    const client = await connectMigrator(options);
    try {
      return await work(client);
    } catch (error) {
      const problem = databaseProblemOf(error);
      if (problem?.kind !== 'read_only') throw error;
      if (polls % pollsPerReport === 0) options.report?.(`${problem.message} Waiting until it accepts them.`);
    } finally {
      await client.end();
    }
    await setTimeout(pollMs);
  }
}

/** Opens a connection for a migrator. */
async function connectMigrator({ url }: MigratorOptions): Promise<Client> {
  const client = new Client({
    connectionString: readDatabaseUrl(url).url,
    application_name: 'rewardhook-migrate',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  // A lost connection fails its query too.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/**
 * Runs a function in a transaction that holds the lock of migrations, after waiting for other migrators. Everything that
 * a migrator needs of its session is bound to the transaction, so it may run through PgBouncer in transaction mode. An
 * error rolls back and is thrown.
 */
export async function inLockedTransaction<T>(
  client: Client,
  report: MigratorOptions['report'],
  run: () => Promise<T>,
): Promise<T> {
  for (let polls = 0; ; polls += 1) {
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    try {
      await client.query(pinnedSettings);
      await client.query(noTimeouts);
      const { rows } = await client.query<{ locked: boolean }>(
        'SELECT pg_try_advisory_xact_lock($1) AS locked',
        [lockKey],
      );
      if (rows[0]?.locked) {
        const result = await run();
        await client.query('COMMIT');
        return result;
      }
      await client.query('ROLLBACK');
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
    if (polls % pollsPerReport === 0) report?.('Another migrator is at work: waiting until it ends.');
    await setTimeout(pollMs);
  }
}
