import { Client } from 'pg';
import { waitFor } from '@rewardhook/testing';
import { createEmptyDatabase, migrationsOf } from '../fixtures/empty-database.ts';
import type { EmptyDatabase } from '../fixtures/empty-database.ts';
import { migrateDatabase } from './migrate.ts';
import type { MigrateOptions } from './migrate.ts';
import { outsideTransactionMark } from './migration-files.ts';
import { markApplied, markRolledBack, readMigrationStatus } from './resolve-migration.ts';

let database: EmptyDatabase;
beforeEach(async () => {
  database = await createEmptyDatabase();
});
afterEach(() => database.drop());

const first = { '20260101000000_initial': 'CREATE TABLE shops (id int, name text);' };

/** Applies migrations, and collects what the migrator reports. */
function migrate(scripts: Record<string, string>, options: Partial<MigrateOptions> = {}) {
  const reported: string[] = [];
  const applied = migrateDatabase({
    url: database.url,
    files: migrationsOf(scripts),
    report: (line) => void reported.push(line),
    ...options,
  });
  return Object.assign(applied, { reported });
}
const relations = async () =>
  (
    await database.query<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1",
    )
  ).map(({ name }) => name);
const recorded = () =>
  database.query('SELECT migration_name AS name, finished_at IS NOT NULL AS done FROM _prisma_migrations');

describe('A migration that fails half-way', () => {
  it('leaves nothing behind, and its corrected form applies', async () => {
    const second = (sql: string) => ({ ...first, '20260102000000_more': sql });
    const broken = `CREATE TABLE orders (id int);
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;
INSERT INTO shops (id) VALUES ('x');`;
    await expect(migrate(second(broken))).rejects.toThrow(
      /20260102000000_more, line 3: invalid input syntax for type integer: "x" \(22P02\)[^]*rolled back/,
    );
    expect(await relations()).toEqual(['_prisma_migrations', '_prisma_migrations_pkey', 'shops']);
    expect(await recorded()).toEqual([{ name: '20260101000000_initial', done: true }]);

    expect(await migrate(second(broken.replace("'x'", '1')))).toEqual(['20260102000000_more']);
    expect(await relations()).toContain('orders');
    expect(await migrate(second(broken.replace("'x'", '1')))).toEqual([]);
  });

  it('is repeated by the next run when it runs outside a transaction', async () => {
    const outside = `${outsideTransactionMark}
DROP INDEX CONCURRENTLY IF EXISTS shops_name;
CREATE UNIQUE INDEX CONCURRENTLY shops_name ON shops (name);`;
    await migrate(first);
    await database.query("INSERT INTO shops VALUES (1, 'same'), (2, 'same')");
    const scripts = { ...first, '20260102000000_index': outside };
    await expect(migrate(scripts)).rejects.toThrow(
      /could not create unique index[^]*The next run repeats it/,
    );
    // PostgreSQL leaves an invalid index, which the script removes before it creates the index.
    expect(await relations()).toContain('shops_name');
    await database.query('DELETE FROM shops WHERE id = 2');
    expect(await migrate(scripts)).toEqual(['20260102000000_index']);
    expect(
      await database.query("SELECT indisvalid FROM pg_index WHERE indexrelid = 'shops_name'::regclass"),
    ).toEqual([{ indisvalid: true }]);
    expect((await recorded()).map(({ done }) => done)).toEqual([true, true]);
  });
});

describe('Two migrators at once', () => {
  it('both succeed, and each migration is applied once', async () => {
    const scripts = {
      ...first,
      '20260102000000_more': 'SELECT pg_sleep(0.3); CREATE TABLE orders (id int);',
    };
    const runs = [migrate(scripts), migrate(scripts)];
    const applied = (await Promise.all(runs)).flat();
    expect(applied.toSorted()).toEqual(Object.keys(scripts));
    expect(await recorded()).toHaveLength(2);
    expect(runs.flatMap(({ reported }) => reported)).toContain(
      'Another migrator is at work: waiting until it ends.',
    );
  });
});

describe('A migration that needs a table which a long transaction uses', () => {
  let reader: Client;
  beforeEach(async () => {
    await migrate(first);
    reader = new Client({ connectionString: database.url, application_name: 'report' });
    await reader.connect();
    await reader.query('BEGIN; SELECT * FROM shops');
  });
  afterEach(() => reader.end());
  const scripts = { ...first, '20260102000000_more': 'ALTER TABLE shops ADD COLUMN city text;' };

  it('lets other statements pass, names the transaction, and is applied when it ends', async () => {
    const run = migrate(scripts, { lockTimeoutMs: 50 });
    await waitFor(() => run.reported.length >= 2);
    // Would wait behind the migration if that waited for its lock without limit.
    expect(await database.query('SELECT count(*)::int FROM shops')).toEqual([{ count: 0 }]);
    expect(run.reported[0]).toMatch(/more waits for a lock[^]*report\): a transaction of \d s, BEGIN/);
    await reader.query('COMMIT');
    expect(await run).toEqual(['20260102000000_more']);
  });

  it('gives up after a number of tries, and changes nothing', async () => {
    await expect(migrate(scripts, { lockTimeoutMs: 20, lockTries: 1 })).rejects.toThrow(
      /report\)[^]*Gave up after 1 tries; nothing was changed/,
    );
    expect(await recorded()).toHaveLength(1);
  });
});

describe('migrate resolve', () => {
  const name = '20260101000000_initial';
  const options = () => ({ url: database.url, files: migrationsOf(first) });

  it('records that a migration is applied, which is not run then', async () => {
    await markApplied(options(), name);
    expect(await migrate(first)).toEqual([]);
    expect(await relations()).not.toContain('shops');
    await expect(markApplied(options(), name)).rejects.toThrow('is applied already');
    await expect(markApplied(options(), 'x')).rejects.toThrow(`has no migration x: ${name}`);
  });

  it('records that a migration which Prisma left unfinished is rolled back, so that it is applied again', async () => {
    await migrate(first);
    await database.query(`UPDATE _prisma_migrations SET finished_at = NULL, logs = 'out of disk space';
      DROP TABLE shops`);
    await expect(migrate(first)).rejects.toThrow(/out of disk space[^]*migrate resolve --rolled-back/);
    expect((await readMigrationStatus(options())).failed).toHaveLength(1);
    await markRolledBack(options(), name);
    await expect(markRolledBack(options(), name)).rejects.toThrow('is not unfinished');
    expect(await migrate(first)).toEqual([name]);
  });

  it('records that a migration is applied whose comment was changed after it was applied', async () => {
    await migrate(first);
    const changed = { [name]: `-- The shops.\n${first[name]}` };
    await expect(migrate(changed)).rejects.toThrow('was applied with another script');
    await markApplied({ url: database.url, files: migrationsOf(changed) }, name);
    expect(await migrate(changed)).toEqual([]);
  });
});
