import { waitFor } from '@rewardhook/testing';
import { createTestDatabase, runSql } from '@rewardhook/testing/servers';
import type { TestDatabase } from '@rewardhook/testing/servers';
import { probeDatabase, transact } from './client.ts';
import { openDatabase } from './prisma.ts';
import type { Database } from './client.ts';
import { databaseProblemOf, isDatabaseOutage } from './database-errors.ts';
import { requireSessionSettings, sessionSettings } from './session.ts';

/** Settings of a database under which the service would read and write other values. */
const hostile: Record<string, string> = {
  TimeZone: 'America/New_York',
  DateStyle: 'German, DMY',
  IntervalStyle: 'iso_8601',
  extra_float_digits: '0',
  bytea_output: 'escape',
  standard_conforming_strings: 'off',
  default_transaction_isolation: 'serializable',
  search_path: 'pg_catalog',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
};

describe('The settings of a session', () => {
  let test: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    test = await createTestDatabase({ of: 'database', settings: hostile });
    database = openDatabase({ url: test.url, poolSize: 1, applicationName: 'test' });
  });
  afterAll(async () => {
    await database.$disconnect();
    await test.drop();
  });

  it.each(Object.entries(sessionSettings))('%s is %s, whatever the database has', async (name, value) => {
    const [row] = await database.query<{ value: string }>(`SELECT current_setting('${name}') AS value`);
    expect(row?.value).toBe(value);
  });

  it('Prisma reads a time as it was written', async () => {
    const at = '2026-11-21T10:00:00.123Z';
    const [row] = await database.$queryRawUnsafe<{ at: Date }[]>(`SELECT '${at}'::timestamptz AS at`);
    expect(row?.at.toISOString()).toBe(at);
  });

  it('Transactions are read committed', async () => {
    const isolation = await transact(database, (tx) =>
      tx.query<{ name: string }>(`SELECT current_setting('transaction_isolation') AS name`),
    );
    expect(isolation).toEqual([{ name: 'read committed' }]);
  });
});

describe('A database whose transactions are read-only by default', () => {
  const setDefault = (test: TestDatabase, value: string) =>
    runSql(
      String(process.env['TEST_DATABASE_URL']),
      `ALTER DATABASE ${new URL(test.url).pathname.slice(1)} SET default_transaction_read_only = ${value}`,
    );

  it.each<[string, (database: Database) => Promise<unknown>]>([
    ['a statement', (database) => database.execute('UPDATE write_probes SET probed_at = now()')],
    [
      'a transaction',
      (database) => transact(database, (tx) => tx.execute('UPDATE write_probes SET probed_at = now()')),
    ],
    ['the probe', probeDatabase],
    [
      "a transaction of Prisma's client",
      (database) => database.$transaction((tx) => tx.$executeRaw`UPDATE write_probes SET probed_at = now()`),
    ],
  ])(
    'refuses %s, which is a problem of the database, and is written on new connections once it ends',
    async (_what, write) => {
      const test = await createTestDatabase({
        of: 'database',
        settings: { default_transaction_read_only: 'on' },
      });
      const database = openDatabase({ url: test.url, poolSize: 1, applicationName: 'test' });
      try {
        const error: unknown = await write(database).catch((cause: unknown) => cause);
        expect(databaseProblemOf(error)).toMatchObject({
          kind: 'read_only',
          message: 'PostgreSQL accepts no writes: it is read-only.',
        });
        expect(isDatabaseOutage(error)).toBe(true);
        // Sessions that have begun keep what the database had then.
        await setDefault(test, 'off');
        await waitFor(() => probeDatabase(database).then(() => true), { what: 'a database that is written' });
        await write(database);
      } finally {
        await database.$disconnect();
        await test.drop();
      }
    },
  );
});

describe('The settings of a session through a pooler', () => {
  const values = Object.values(sessionSettings);
  const names = Object.keys(sessionSettings);
  const check = (given: string[]) => () => requireSessionSettings(given, { role: 'app', database: 'shop' });

  it('are accepted when each has the same meaning', () => {
    expect(check(values)).not.toThrow();
    const same = { TimeZone: 'Etc/UTC', DateStyle: 'ISO, DMY', extra_float_digits: '3', lock_timeout: '5s' };
    expect(
      check(names.map((name, index) => new Map(Object.entries(same)).get(name) ?? values[index] ?? '')),
    ).not.toThrow();
  });

  it.each(names)(
    'are refused when %s differs, with the setting, the role and the statement that changes it',
    (name) => {
      const given = values.map((value, index) => (names[index] === name ? (hostile[name] ?? '') : value));
      expect(check(given)).toThrow(
        `the setting ${name} of PostgreSQL is ${hostile[name]} for the role app; it must be ${sessionSettings[name]}. Run ALTER ROLE "app" IN DATABASE "shop" SET ${name} = `,
      );
    },
  );
});
