import fc from 'fast-check';
import { propertyCases } from '@rewardhook/testing/property-cases';
import { createTestDatabase, runSql } from '@rewardhook/testing/servers';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { queryInTransaction, transact } from './client.ts';
import type { Queryable } from './client.ts';
import { statementCancelled, uniqueViolation } from './database-errors.ts';
import { openDatabase } from './prisma.ts';
import { booleanArray, jsonTextArray, numberArray, textArray } from './sql-arrays.ts';

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
