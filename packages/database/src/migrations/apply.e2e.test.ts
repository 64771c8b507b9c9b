import { Client } from 'pg';
import { waitFor } from '@rewardhook/testing';
import { runSql } from '@rewardhook/testing/servers';
import { createEmptyDatabase, migrationsOf } from '../fixtures/empty-database.ts';
import type { EmptyDatabase } from '../fixtures/empty-database.ts';
import { migrateDatabase } from './migrate.ts';
import type { MigrateOptions } from './migrate.ts';

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

describe('A database that is read-only', () => {
  it('is migrated once it accepts writes, and needs none when nothing is missing', async () => {
    const name = new URL(database.url).pathname.slice(1);
    const [initial] = Object.keys(first);
    const setDefault = (change: string) =>
      runSql(String(process.env['TEST_DATABASE_URL']), `ALTER DATABASE ${name} ${change}`);
    await setDefault('SET default_transaction_read_only = on');
    const waiting = migrate(first);
    await waitFor(() => waiting.reported.length > 0);
    await setDefault('RESET default_transaction_read_only');
    expect(await waiting).toEqual([initial]);
    expect(waiting.reported).toEqual([
      'PostgreSQL accepts no writes: it is read-only. Waiting until it accepts them.',
      `Applied ${initial}`,
    ]);
    await setDefault('SET default_transaction_read_only = on');
    expect(await migrate(first)).toEqual([]);
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

describe('A database', () => {
  const next = { ...first, '20260102000000_more': 'CREATE TABLE orders (id int);' };

  it('that a later release has migrated is accepted', async () => {
    await migrate(next);
    expect(await migrate(first)).toEqual([]);
  });

  it('with a migration whose script is another one now is refused', async () => {
    await migrate(first);
    const changed = { ...next, '20260101000000_initial': 'CREATE TABLE shops (id int);' };
    await expect(migrate(changed)).rejects.toThrow(
      /20260101000000_initial was applied with another script[^]*npm run dev -- --fresh[^]*restore a backup/,
    );
    expect(await recorded()).toHaveLength(1);
  });

  it('of another history, or with tables and no history, is refused', async () => {
    await database.query('CREATE TABLE merchants ()');
    await expect(migrate(first)).rejects.toThrow('It has tables but not 20260101000000_initial');
    await database.query('DROP TABLE merchants');
    await migrate({ '20250101000000_first': 'CREATE TABLE shops ();' });
    await expect(migrate(first)).rejects.toThrow(
      'It has the migration 20250101000000_first but not 20260101000000_initial',
    );
  });

  it('with a migration that Prisma left unfinished is refused', async () => {
    await migrate(first);
    await database.query('UPDATE _prisma_migrations SET finished_at = NULL');
    await expect(migrate(first)).rejects.toThrow('20260101000000_initial was started by another program');
  });
});
