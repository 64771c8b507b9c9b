import { transact } from './client.ts';
import { openDatabase } from './prisma.ts';
import type { Queryable } from './client.ts';
import { databaseProblemOf, isTransient } from './database-errors.ts';
import { database, databaseUrl, useDatabase } from '../fixtures/use-database.ts';

useDatabase(2);

const failure = async (run: (tx: Queryable) => Promise<unknown>, on = database): Promise<unknown> => {
  try {
    await transact(on, run);
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
};

describe('A failed transaction', () => {
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
