import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { defaultTerms } from '@rewardhook/rewards';
import { freePort, waitFor } from '@rewardhook/testing';
import { createTestDatabase, runSql } from '@rewardhook/testing/servers';
import type { TestDatabase } from '@rewardhook/testing/servers';
import { propertyCases } from '@rewardhook/testing/property-cases';
import { database, useDatabase, databaseUrl } from '../fixtures/use-database.ts';
import { insertMerchant, newMerchant } from '../merchants/new-merchant.ts';
import { openSealer } from '../merchants/sealer.ts';
import { watchDatabase } from './check-database.ts';
import { transact, probeDatabase, queryInTransaction } from './client.ts';
import type { Queryable, Database } from './client.ts';
import {
  databaseProblemOf,
  isTransient,
  isDatabaseOutage,
  statementCancelled,
  uniqueViolation,
} from './database-errors.ts';
import { openDatabase } from './prisma.ts';
import { requireSessionSettings, sessionSettings } from './session.ts';
import { booleanArray, jsonTextArray, numberArray, textArray } from './sql-arrays.ts';

describe('The check of the database at the start of a process', () => {
  useDatabase(2);

  function watch(
    ...[store, sealer]: [Parameters<typeof watchDatabase>[0], Parameters<typeof watchDatabase>[2]?]
  ) {
    const said: string[] = [];
    const failed: string[] = [];
    const closes: (() => unknown)[] = [];
    const say = (message: string) => void said.push(message);
    watchDatabase(
      store,
      {
        log: { info: say, warn: say },
        fail: (reason) => void failed.push(reason),
        release: (_name, close) => closes.push(close),
      },
      sealer,
    );
    return { said, failed, stop: () => closes.forEach((close) => close()) };
  }

  it('logs in one line that PostgreSQL is unavailable, without a stack trace and without the password', async () => {
    const url = `postgresql://u:hunter2@127.0.0.1:${await freePort()}/x`;
    const away = openDatabase({ url, poolSize: 1, applicationName: 'test' });
    const { said, failed, stop } = watch(away);
    await waitFor(() => said.length > 0);
    stop();
    expect(said).toEqual(['PostgreSQL cannot be reached. Waiting for it.']);
    expect(failed).toEqual([]);
    await away.$disconnect();
  });

  it('waits while the database is read-only, and says once when it is written again', async () => {
    const test = await createTestDatabase({
      of: 'database',
      settings: { default_transaction_read_only: 'on' },
    });
    const readOnly = openDatabase({ url: test.url, poolSize: 1, applicationName: 'test' });
    const { said, failed, stop } = watch(readOnly);
    try {
      await waitFor(() => said.length > 0);
      await runSql(
        String(process.env['TEST_DATABASE_URL']),
        `ALTER DATABASE ${new URL(test.url).pathname.slice(1)} SET default_transaction_read_only = off`,
      );
      await waitFor(() => said.length > 1);
      expect(said).toEqual([
        'PostgreSQL accepts no writes: it is read-only. Waiting for it.',
        'The database can be used now.',
      ]);
      expect(failed).toEqual([]);
    } finally {
      stop();
      await readOnly.$disconnect();
      await test.drop();
    }
  });

  it('ends the process when SECRETS_KEY does not open the stored secrets, and passes when it does', async () => {
    const [right, wrong] = [0, 1].map(() => openSealer(randomBytes(32).toString('base64')));
    if (!right || !wrong) throw new Error('no sealers');
    const given = {
      name: 'Shop',
      timezone: 'UTC',
      signingSecret: 'whsec_x',
      createdBy: 'operator',
      terms: defaultTerms,
    };
    await insertMerchant(database, newMerchant(given, right).row);
    const bad = watch(database, wrong);
    await waitFor(() => bad.failed.length > 0);
    expect(bad.failed[0]).toMatch(/^SECRETS_KEY is not the key/);
    const good = watch(database, right);
    await database.$queryRaw`SELECT 1`;
    expect([good.said, good.failed]).toEqual([[], []]);
    good.stop();
  });
});

describe('A failed transaction', () => {
  useDatabase(2);

  const failure = async (run: (tx: Queryable) => Promise<unknown>, on = database): Promise<unknown> => {
    try {
      await transact(on, run);
    } catch (error) {
      return error;
    }
    throw new Error('it did not fail');
  };

  it.each([
    ['a lost connection', 'SELECT pg_terminate_backend(pg_backend_pid())'],
    ['a statement time-out', 'SELECT pg_sleep(1)'],
    ['a deadlock', "DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40P01'; END $$"],
    ['a lock time-out', "DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '55P03'; END $$"],
    ['a full disk', "DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '53100'; END $$"],
    ['a schema that is older than the code', 'SELECT no_such_column FROM orders'],
  ])('is transient after %s', async (_what, sql) => {
    const error = await failure(async (tx) => {
      await tx.query("SET LOCAL statement_timeout = '50ms'", []);
      await tx.query(sql, []);
    });
    expect(isTransient(error)).toBe(true);
  });

  it('is transient, and a problem of the database, when the connection is lost before the commit', async () => {
    const error = await failure((tx) =>
      tx.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined),
    );
    expect(isTransient(error)).toBe(true);
    expect(databaseProblemOf(error)?.kind).toBe('unavailable');
  });

  it('is transient while PostgreSQL is unavailable', async () => {
    const away = openDatabase({
      url: databaseUrl.replace(/:\d+\//, ':1/'),
      poolSize: 1,
      applicationName: 'test',
    });
    expect(isTransient(await failure((tx) => tx.query('SELECT 1', []), away))).toBe(true);
    await away.$disconnect();
  });

  it.each([
    ['a value that a column cannot keep', "SELECT 'much'::bigint"],
    ['a broken constraint', "INSERT INTO programs (merchant_id) VALUES ('m')"],
    ['an exception of a trigger', "DO $$ BEGIN RAISE EXCEPTION 'x'; END $$"],
  ])('is not transient after %s', async (_what, sql) => {
    expect(isTransient(await failure((tx) => tx.query(sql, [])))).toBe(false);
  });

  it('is not transient after a programming error', async () => {
    const error = await failure(async () => {
      throw new TypeError('x is not a function');
    });
    expect(isTransient(error)).toBe(false);
  });
});

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
  let opened: Database;
  beforeAll(async () => {
    test = await createTestDatabase({ of: 'database', settings: hostile });
    opened = openDatabase({ url: test.url, poolSize: 1, applicationName: 'test' });
  });
  afterAll(async () => {
    await opened.$disconnect();
    await test.drop();
  });

  it.each(Object.entries(sessionSettings))('%s is %s, whatever the database has', async (name, value) => {
    const [row] = await opened.query<{ value: string }>(`SELECT current_setting('${name}') AS value`);
    expect(row?.value).toBe(value);
  });

  it('Prisma reads a time as it was written', async () => {
    const at = '2026-11-21T10:00:00.123Z';
    const [row] = await opened.$queryRawUnsafe<{ at: Date }[]>(`SELECT '${at}'::timestamptz AS at`);
    expect(row?.at.toISOString()).toBe(at);
  });

  it('Transactions are read committed', async () => {
    const isolation = await transact(opened, (tx) =>
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

  it.each<[string, (opened: Database) => Promise<unknown>]>([
    ['a statement', (opened) => opened.execute('UPDATE write_probes SET probed_at = now()')],
    [
      'a transaction',
      (opened) => transact(opened, (tx) => tx.execute('UPDATE write_probes SET probed_at = now()')),
    ],
    ['the probe', probeDatabase],
    [
      "a transaction of Prisma's client",
      (opened) => opened.$transaction((tx) => tx.$executeRaw`UPDATE write_probes SET probed_at = now()`),
    ],
  ])(
    'refuses %s, which is a problem of the database, and is written on new connections once it ends',
    async (_what, write) => {
      const test = await createTestDatabase({
        of: 'database',
        settings: { default_transaction_read_only: 'on' },
      });
      const opened = openDatabase({ url: test.url, poolSize: 1, applicationName: 'test' });
      try {
        const error: unknown = await write(opened).catch((cause: unknown) => cause);
        expect(databaseProblemOf(error)).toMatchObject({
          kind: 'read_only',
          message: 'PostgreSQL accepts no writes: it is read-only.',
        });
        expect(isDatabaseOutage(error)).toBe(true);
        // Sessions that have begun keep what the database had then.
        await setDefault(test, 'off');
        await waitFor(() => probeDatabase(opened).then(() => true), {
          what: 'a database that is written',
        });
        await write(opened);
      } finally {
        await opened.$disconnect();
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
    const same = {
      TimeZone: 'Etc/UTC',
      DateStyle: 'ISO, DMY',
      extra_float_digits: '3',
      lock_timeout: '5s',
    };
    expect(
      check(names.map((name, index) => new Map(Object.entries(same)).get(name) ?? values[index] ?? '')),
    ).not.toThrow();
  });

  it.each(names)(
    'are refused when %s differs, with the setting, the role and the statement that changes it',
    (name) => {
      const given = values.map((value, index) => (names[index] === name ? (hostile[name] ?? '') : value));
      expect(check(given)).toThrow(
        `the setting ${name} of PostgreSQL is ${hostile[name]} for the role app; it must be ${sessionSettings[name]}. ` +
          `Run ALTER ROLE "app" IN DATABASE "shop" SET ${name} = `,
      );
    },
  );
});

describe('A transaction of typed statements', () => {
  useDatabase(2);

  const probes = async (on: Queryable = database) => {
    const rows = await on.query<{ id: number }>('SELECT id FROM write_probes WHERE id >= 100 ORDER BY id');
    return rows.map(({ id }) => id);
  };
  const insert = (tx: Queryable, id: number) => tx.execute('INSERT INTO write_probes (id) VALUES ($1)', [id]);
  const remove = (tx: Queryable) => tx.execute('DELETE FROM write_probes WHERE id >= 100');
  afterEach(() => remove(database));

  describe('transact', () => {
    it.each([{ keepPlans: false }, { keepPlans: true }])(
      'runs statements that do not wait for each other in the order of their calls, keepPlans $keepPlans',
      async (options) => {
        const found = await transact(
          database,
          (tx) => Promise.all([insert(tx, 100), insert(tx, 101), probes(tx), remove(tx), probes(tx)]),
          options,
        );
        expect(found).toEqual([1, 1, [100, 101], 2, []]);
      },
    );

    it('writes nothing when one of several statements fails, and throws the error of the first one', async () => {
      const failing = transact(database, (tx) =>
        Promise.all([insert(tx, 100), tx.query('SELECT no_such_column FROM merchants'), insert(tx, 101)]),
      );
      await expect(failing).rejects.toThrow('no_such_column');
      expect(await probes()).toEqual([]);
    });

    it('throws the error of the statement that failed, although calls that were sent after it end before', async () => {
      const failing = transact(database, async (tx) => {
        const inserted = [insert(tx, 100), insert(tx, 100)].map((call) => call.catch(() => 0));
        await tx.query('SELECT 1');
        return Promise.all(inserted);
      });
      await expect(failing).rejects.toMatchObject({ code: uniqueViolation });
    });

    it('throws the error of a statement also when its caller has ignored it, because nothing was committed', async () => {
      const failing = transact(database, async (tx) => {
        await insert(tx, 100);
        return insert(tx, 100).catch(() => 0);
      });
      await expect(failing).rejects.toMatchObject({ code: uniqueViolation });
      expect(await probes()).toEqual([]);
    });

    it('ends a statement after the time that the transaction allows', async () => {
      const failing = transact(database, (tx) => tx.query('SELECT pg_sleep(10)'), { statementMs: 50 });
      await expect(failing).rejects.toMatchObject({ code: statementCancelled });
      const [row] = await database.query<{ limit: string }>(
        "SELECT current_setting('statement_timeout') AS limit",
      );
      expect(row).toEqual({ limit: '30s' });
    });

    it('refuses a call that goes on after another one has failed: its statement would run outside of the transaction', async () => {
      let goOn = () => {};
      const rolledBack = new Promise<void>((resolve) => (goOn = resolve));
      let late: Promise<number> | undefined;
      const failing = transact(database, (tx) => {
        late = rolledBack.then(() => insert(tx, 100));
        return Promise.all([late, tx.query('SELECT no_such_column FROM merchants')]);
      });
      await expect(failing).rejects.toThrow('no_such_column');
      goOn();
      await expect(late).rejects.toThrow('the transaction has ended');
      expect(await probes()).toEqual([]);
    });

    it('can be followed by another one on the same connection', async () => {
      for (const id of [100, 101])
        await transact(database, (tx) => Promise.all([insert(tx, id), probes(tx)])).catch(() => undefined);
      await expect(
        transact(database, (tx) => Promise.all([insert(tx, 102), insert(tx, 102), insert(tx, 103)])),
      ).rejects.toThrow('write_probes_pkey');
      expect(await transact(database, (tx) => Promise.all([insert(tx, 102), probes(tx)]))).toEqual([
        1,
        [100, 101, 102],
      ]);
    });
  });

  describe('queryInTransaction', () => {
    const settings = `
    SELECT current_setting('plan_cache_mode') AS plans, source AS commit, $1::text AS given
    FROM pg_settings WHERE name = 'synchronous_commit'`;

    it('runs a statement with the options of a transaction, which end with it', async () => {
      const options = { keepPlans: true, durable: false };
      expect(await queryInTransaction(database, settings, ['a'], options)).toEqual([
        { plans: 'force_generic_plan', commit: 'session', given: 'a' },
      ]);
      expect(await database.query(settings, ['b'])).toEqual([
        { plans: 'auto', commit: 'command line', given: 'b' },
      ]);
      expect(await queryInTransaction(database, settings, ['c'], {})).toEqual([
        { plans: 'auto', commit: 'command line', given: 'c' },
      ]);
    });

    it('commits a change, and uses a plan for any parameters', async () => {
      const sql = 'INSERT INTO write_probes (id) SELECT unnest($1::int[]) RETURNING id';
      for (const id of [100, 101, 102, 103])
        expect(await queryInTransaction(database, sql, [[id]], { keepPlans: true })).toEqual([{ id }]);
      expect(await probes()).toEqual([100, 101, 102, 103]);
      const plans = () =>
        database.query<{ made: number }>(
          'SELECT generic_plans::int AS made FROM pg_prepared_statements WHERE statement = $1',
          [sql],
        );
      const used = await Promise.all([plans(), plans()]);
      expect(used.flat().reduce((sum, { made }) => sum + made, 0)).toBeGreaterThanOrEqual(2);
    });

    it('does not use a connection again that it leaves in a transaction', async () => {
      const sql = "SELECT set_config('rewardhook.deferred', $1, true), pg_cancel_backend(pg_backend_pid())";
      await expect(queryInTransaction(database, sql, ['x'], { durable: false })).rejects.toThrow('cancel');
      for (const id of [100, 101]) await insert(database, id);
      expect(await probes()).toEqual([100, 101]);
    });

    it('throws the error of its statement, and the connection can be used again', async () => {
      const sql = 'INSERT INTO write_probes (id) SELECT unnest($1::int[])';
      for (const options of [{ keepPlans: true }, { durable: false }]) {
        const failing = queryInTransaction(database, sql, [[100, 100]], options);
        await expect(failing).rejects.toMatchObject({ code: uniqueViolation });
      }
      expect(await probes()).toEqual([]);
      expect(await transact(database, (tx) => Promise.all([insert(tx, 100), probes(tx)]))).toEqual([
        1,
        [100],
      ]);
    });
  });
});

describe('$transaction', () => {
  it('runs on a connection of the pool, with the settings of its sessions, and its SQL runs inside of it', async () => {
    const test = await createTestDatabase();
    await runSql(
      test.url,
      `ALTER DATABASE "${new URL(test.url).pathname.slice(1)}" SET timezone = 'Asia/Seoul'`,
    );
    const opened = openDatabase({ url: test.url, poolSize: 1, applicationName: 'test' });
    const host = 'shop.example';
    const found = opened.$transaction(async (tx) => {
      await tx.$executeRaw`INSERT INTO webhook_hosts (host, next_at) VALUES (${host}, '2026-11-21T10:00:00Z')`;
      const stored = await tx.webhookHost.findUnique({ where: { host } });
      const [settings] = await tx.$queryRaw<object[]>`
        SELECT current_setting('TimeZone') AS zone, current_setting('lock_timeout') AS "lockTimeout",
          current_setting('statement_timeout') AS "statementTimeout"`;
      expect(settings).toEqual({ zone: 'UTC', lockTimeout: '10s', statementTimeout: '30s' });
      expect(stored).toEqual({ host, nextAt: new Date('2026-11-21T10:00:00Z') });
      throw new Error('rolled back');
    });
    await expect(found).rejects.toThrow('rolled back');
    expect(await opened.webhookHost.count()).toBe(0);
    await opened.$disconnect();
    await test.drop();
  });
});

describe('An array literal', () => {
  it('contains exactly the given texts and nulls when PostgreSQL parses it', async () => {
    const test = await createTestDatabase();
    const opened = openDatabase({ url: test.url, poolSize: 2, applicationName: 'test' });
    const special = fc.constantFrom(
      '"',
      '\\',
      '{',
      '}',
      ',',
      'NULL',
      '\n',
      '\t',
      '\u0001',
      ' ',
      '',
      '한',
      '🙂',
      '\\n',
    );
    // NUL and lone surrogates cannot occur: requests that contain them are refused.
    const text = fc
      .array(fc.oneof(special, fc.string({ unit: 'grapheme' })), { maxLength: 6 })
      .map((parts) => parts.join('').replaceAll('\0', ''));
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.option(text, { freq: 10 }), { maxLength: 8 }), async (texts) => {
          const rows = await opened.query<{ text: string }>('SELECT unnest($1::text[]) AS text', [
            textArray(texts),
          ]);
          expect(rows.map((row) => row.text)).toEqual(texts);
          const documents = texts.map((one) => (one === null ? null : JSON.stringify({ [one]: one })));
          const stored = await opened.query<{ text: string }>('SELECT unnest($1::text[]) AS text', [
            jsonTextArray(documents),
          ]);
          expect(stored.map((row) => row.text)).toEqual(documents);
        }),
        { numRuns: propertyCases(300) },
      );
    } finally {
      await opened.$disconnect();
      await test.drop();
    }
  });

  it('contains exactly the given numbers, booleans and nulls', async () => {
    const test = await createTestDatabase();
    const opened = openDatabase({ url: test.url, poolSize: 1, applicationName: 'test' });
    try {
      const numbers = [0, -1, null, 1.5, 1e-7, 9_007_199_254_740_991];
      const booleans = [true, false, true];
      const [row] = await opened.query(
        'SELECT $1::double precision[] AS numbers, $2::boolean[] AS booleans',
        [numberArray(numbers), booleanArray(booleans)],
      );
      expect(row).toEqual({ numbers, booleans });
    } finally {
      await opened.$disconnect();
      await test.drop();
    }
  });
});
