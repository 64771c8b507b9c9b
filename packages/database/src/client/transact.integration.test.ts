import { transact } from './client.ts';
import type { Queryable } from './client.ts';
import { statementCancelled, uniqueViolation } from './database-errors.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';

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
