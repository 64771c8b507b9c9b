import { transact } from '../client/client.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { pruneAuditEntries } from './audit-entries.ts';
import { audited, changesOf, noteAudit, noteUnchanged, writeAudit } from './audited.ts';
import type { AuditedCall } from './audited.ts';

useDatabase(4);

const call: AuditedCall = {
  action: 'webhook.paused',
  actor: { kind: 'user', id: 'usr_1', email: 'ann@shop.example' },
  merchantId: 'mer_1',
  subjectId: 'whk_1',
  address: '192.0.2.1',
  requestId: 'req-1',
};
const entries = () => database.auditEntry.findMany({ orderBy: { at: 'asc' } });
let inserted = 0;
/** Inserts a row in a transaction and returns its result. */
const change = <T>(result: T): Promise<T> =>
  transact(database, async (tx) => {
    inserted += 1;
    await tx.execute('INSERT INTO webhook_hosts (host, next_at) VALUES ($1, now())', [`host-${inserted}`]);
    return result;
  });

async function added(run: () => Promise<unknown>) {
  const before = (await entries()).length;
  const outcome = await run().catch((error: unknown) => error);
  return { outcome, rows: (await entries()).slice(before) };
}

describe('The entry of an action', () => {
  it('is committed together with the first change', async () => {
    const { rows } = await added(() =>
      audited(database, call, async () => {
        noteAudit({ details: { reason: 'test' } });
        await change(true);
        await change(true);
      }),
    );
    expect(rows).toEqual([
      {
        id: expect.stringMatching(/^aud_/),
        at: expect.any(Date),
        merchantId: 'mer_1',
        actorKind: 'user',
        actorId: 'usr_1',
        actorName: 'ann@shop.example',
        action: 'webhook.paused',
        outcome: 'done',
        subjectKind: 'webhook',
        subjectId: 'whk_1',
        address: '192.0.2.1',
        requestId: 'req-1',
        details: { reason: 'test' },
      },
    ]);
    const [same] = await database.query<{ same: boolean }>(
      `SELECT a.xmin = h.xmin AS same FROM audit_entries a, webhook_hosts h WHERE a.id = $1 AND h.host = $2`,
      [rows[0]?.id, `host-${inserted - 1}`],
    );
    expect(same).toEqual({ same: true });
  });

  it('is stored even if the action fails after its change', async () => {
    const { outcome, rows } = await added(() =>
      audited(database, call, async () => {
        await change(true);
        throw new Error('later');
      }),
    );
    expect([outcome, rows.length]).toEqual([new Error('later'), 1]);
  });

  it('is written before the result when nothing was changed in PostgreSQL', async () => {
    const { rows } = await added(() => audited(database, call, async () => 'secret'));
    expect(rows.length).toBe(1);
  });

  it('is written when the action asks for it', async () => {
    let during = 0;
    const { rows } = await added(() =>
      audited(database, call, async () => {
        const before = (await entries()).length;
        await writeAudit();
        during = (await entries()).length - before;
      }),
    );
    expect([during, rows.length]).toEqual([1, 1]);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('refused'))],
    ['finds nothing to change', () => change(false).then(() => Promise.reject(new Error('409')))],
    ['says that it changes nothing', async () => noteUnchanged()],
  ])('is not written for an action that %s', async (_what, run) => {
    expect((await added(() => audited(database, call, run))).rows).toEqual([]);
  });

  it('of a refusal has the code and no details', async () => {
    const { rows } = await added(() =>
      audited(
        database,
        call,
        async () => {
          noteAudit({ details: { typed: 'a password' } });
          throw new Error('wrong');
        },
        async () => 'wrong_credentials',
      ),
    );
    expect(rows).toMatchObject([{ outcome: 'refused', details: { code: 'wrong_credentials' } }]);
  });

  it('prevents the change when it cannot be stored', async () => {
    const run = () => audited(database, { ...call, requestId: 'a\0b' }, () => change(true));
    const { rows } = await added(run);
    expect(rows).toEqual([]);
    expect(await database.webhookHost.count({ where: { host: `host-${inserted}` } })).toBe(0);
  });
});

describe('The audit table', () => {
  it.each(["UPDATE audit_entries SET action = 'x'", 'DELETE FROM audit_entries', 'TRUNCATE audit_entries'])(
    'refuses %s',
    async (sql) => {
      await expect(database.execute(sql)).rejects.toThrow('audit_entries is append-only');
    },
  );

  it('is pruned of entries that are older than a number of days, of at least 30, oldest first', async () => {
    const days = (count: number) => new Date(Date.now() - count * 86_400_000);
    const row = { actorKind: 'system', action: 'webhook.disabled', subjectKind: 'webhook' };
    await database.auditEntry.createMany({
      data: [401, 402, 403, 40, 20].map((age) => ({ ...row, id: `aud_${age}`, at: days(age) })),
    });
    const ages = async () => (await entries()).map(({ id }) => id).filter((id) => /^aud_\d+$/.test(id));
    expect(await pruneAuditEntries(database, { days: 400, limit: 2 })).toBe(2);
    expect(await ages()).toEqual(['aud_401', 'aud_40', 'aud_20']);
    expect(await pruneAuditEntries(database, { days: 400, limit: 2 })).toBe(1);
    expect(await pruneAuditEntries(database, { days: 0, limit: 1_000 })).toBe(1);
    expect(await ages()).toEqual(['aud_20']);
    await expect(database.execute('DELETE FROM audit_entries')).rejects.toThrow('append-only');
  });
});

it('Changes are listed with the former and the new value', () => {
  const before = { name: 'Tea', origins: ['https://a.example'], days: 30 };
  expect(changesOf(before, { name: 'Tea', origins: [], days: 31 })).toEqual({
    origins: [['https://a.example'], []],
    days: [30, 31],
  });
});
