import type { Client } from 'pg';
import type { MigrationFile } from './migration-files.ts';

/** The migrations cannot be applied; nothing was changed. The message says what to do. */
export class MigrationRefused extends Error {}

const otherHistory = `The schema of this database does not belong to this release.
  A local database without data that matters: npm run dev -- --fresh, or npm run stack -- --fresh.
  A database with data: use the release that created it, or restore a backup of this release.`;

/** A migration that the database has. */
interface Applied {
  name: string;
  checksum: string;
  finished: boolean;
}

/**
 * Finds the first migration that a database lacks; undefined when it has all of them. Creates Prisma's table of applied
 * migrations unless it exists. Migrations that this release does not have are those of a later one, and are accepted.
 * @throws MigrationRefused when the database was created by other migrations
 */
export async function findNextMigration(
  client: Client,
  files: MigrationFile[],
): Promise<MigrationFile | undefined> {
  const [tables] = await select<{ migrations: boolean; merchants: boolean }>(
    client,
    "SELECT to_regclass('_prisma_migrations') IS NOT NULL AS migrations, to_regclass('merchants') IS NOT NULL AS merchants",
  );
  // A role that may not create tables can apply nothing, and needs no table when nothing is missing.
  if (!tables?.migrations) await client.query(createTable);
  const applied = await select<Applied>(
    client,
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished FROM _prisma_migrations
     WHERE rolled_back_at IS NULL ORDER BY started_at, migration_name`,
  );
  const byName = new Map(applied.map((one) => [one.name, one]));
  const unfinished = applied.find(({ finished }) => !finished);
  if (unfinished)
    throw new MigrationRefused(
      `${unfinished.name} was started by another program and did not finish: restore the backup from before it.`,
    );
  const changed = files.find(({ name, checksum }) => (byName.get(name)?.checksum ?? checksum) !== checksum);
  if (changed)
    throw new MigrationRefused(
      `${changed.name} was applied with another script than the one of this release. ${otherHistory}`,
    );
  const next = files.find(({ name }) => !byName.has(name));
  if (next && next === files[0] && (applied[0] ?? tables?.merchants))
    throw new MigrationRefused(
      `${applied[0] ? `It has the migration ${applied[0].name}` : 'It has tables'} but not ${next.name}. ${otherHistory}`,
    );
  return next;
}

/** Records that a migration is applied, in the form of Prisma. */
export async function recordMigration(client: Client, { name, checksum }: MigrationFile): Promise<void> {
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES (gen_random_uuid(), $1, $2, now(), clock_timestamp(), 1)`,
    [checksum, name],
  );
}

async function select<Row extends object>(client: Client, sql: string): Promise<Row[]> {
  return (await client.query<Row>(sql)).rows;
}

const createTable = `CREATE TABLE _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`;
