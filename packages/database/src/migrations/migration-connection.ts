import { setTimeout } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import type { MigrationRow } from './migration-history.ts';

/** Where a migrator connects to, and what it reports. */
export interface MigratorOptions {
  /** The URL of the owner of the tables; best without a connection pooler. */
  url: string;
  /** Receives lines about progress and waiting. */
  report?: ((line: string) => void) | undefined;
}

/** Prisma's key of the lock of its migrations: `prisma migrate deploy` and this program exclude each other. */
const lockKey = 72_707_369;

const lockPollMs = 500;

/** How many polls pass between two lines about waiting for another migrator. */
const pollsPerReport = 20;

/** Time-outs that do not apply to migrations. A release of PostgreSQL without one of them ignores it. */
export const noTimeouts = `SELECT set_config(name, '0', $1) FROM pg_settings WHERE name IN
  ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;

/** Opens a connection for a migrator. */
export async function connectMigrator({ url }: MigratorOptions): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: 'rewardhook-migrate',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  // A lost connection fails its query too.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Whether a connection leads through a pooler, which gives its clients process ids of its own. */
export async function isPooled(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid !== (client as unknown as { processID: number }).processID;
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
    await client.query('BEGIN');
    try {
      await client.query(noTimeouts, [true]);
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
    await setTimeout(lockPollMs);
  }
}

/** Creates Prisma's table of applied migrations unless it exists. */
export async function ensureMigrationTable(client: Client): Promise<void> {
  // Looked up first: a role that may not create tables can apply nothing, and needs no table when nothing is missing.
  const { rows } = await client.query<{ exists: boolean }>(
    "SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists",
  );
  if (rows[0]?.exists) return;
  await client.query(`CREATE TABLE _prisma_migrations (
    id VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum VARCHAR(64) NOT NULL,
    finished_at TIMESTAMPTZ,
    migration_name VARCHAR(255) NOT NULL,
    logs TEXT,
    rolled_back_at TIMESTAMPTZ,
    started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0
  )`);
}

/** Reads the rows of all migrations in the order in which they began; none when the table does not exist. */
export async function listMigrationRows(client: Client): Promise<MigrationRow[]> {
  try {
    const { rows } = await client.query<MigrationRow>(
      `SELECT id, migration_name AS name, checksum, started_at AS "startedAt", finished_at AS "finishedAt",
         rolled_back_at AS "rolledBackAt", logs
       FROM _prisma_migrations ORDER BY started_at, migration_name`,
    );
    return rows;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === '42P01') return [];
    throw error;
  }
}

/** Whether the database has tables of Rewardhook. */
export async function hasTables(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    "SELECT to_regclass('merchants') IS NOT NULL AS exists",
  );
  return rows[0]?.exists ?? false;
}

/** Records that a migration begins, or with `finished` that it was applied. Returns the id of the row. */
export async function insertMigrationRow(
  client: Client,
  { name, checksum }: { name: string; checksum: string },
  finished: boolean,
): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES (gen_random_uuid(), $1, $2, clock_timestamp(), CASE WHEN $3 THEN clock_timestamp() END, $3::boolean::int)
     RETURNING id`,
    [checksum, name, finished],
  );
  if (!rows[0]) throw new Error('the migration could not be recorded');
  return rows[0].id;
}

/** Records that the migration of a row is applied. */
export async function finishMigrationRow(client: Client, id: string): Promise<void> {
  await client.query(
    `UPDATE _prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = 1, logs = NULL WHERE id = $1`,
    [id],
  );
}
