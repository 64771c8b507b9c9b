import { transact } from '../client/client.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { pruneAuditEntries } from './audit-entries.ts';
import { audit, audited, changesOf, noteAudit, noteUnchanged } from './audited.ts';
import type { AuditedCall, AuditNote } from './audited.ts';

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
const newHost = () => `host-${(inserted += 1)}`;
const insertSql = 'INSERT INTO webhook_hosts (host, next_at) VALUES ($1, now())';
const isStored = async (host: string) => (await database.webhookHost.count({ where: { host } })) === 1;

/** The two kinds of transactions: each inserts a row, then writes the entry. */
const changes: Record<string, (host: string, note?: AuditNote) => Promise<void>> = {
  transact: (host, note) =>
    transact(database, async (tx) => {
      await tx.execute(insertSql, [host]);
      await audit(tx, note);
    }),
  $transaction: (host, note) =>
    database.$transaction(async (tx) => {
      await tx.webhookHost.create({ data: { host, nextAt: new Date() } });
      await audit(tx, note);
    }),
};

async function added(run: () => Promise<unknown>) {
  const before = (await entries()).length;
  const outcome = await run().catch((error: unknown) => error);
  return { outcome, rows: (await entries()).slice(before) };
}

describe.each(Object.entries(changes))('The entry of an action that changes rows in %s', (_name, change) => {
  it('is committed together with the change', async () => {
    const host = newHost();
    const { rows } = await added(() =>
      audited(database, call, async () => {
        await change(host, { details: { reason: 'test' } });
        await change(newHost());
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
      [rows[0]?.id, host],
    );
    expect(same).toEqual({ same: true });
  });

  it('is stored even if the action fails after its change', async () => {
    const { outcome, rows } = await added(() =>
      audited(database, call, async () => {
        await change(newHost());
        throw new Error('later');
      }),
    );
    expect([outcome, rows.length]).toEqual([new Error('later'), 1]);
  });

  it('rolls the change back when it cannot be stored', async () => {
    const host = newHost();
    const { outcome, rows } = await added(() =>
      audited(database, { ...call, requestId: 'a\0b' }, () => change(host)),
    );
    expect(outcome).toBeInstanceOf(Error);
    expect(rows).toEqual([]);
    expect(await isStored(host)).toBe(false);
  });

  it('is stored once when its transaction is rolled back and made again', async () => {
    const host = newHost();
    const { rows } = await added(() =>
      audited(database, call, async () => {
        await database.webhookHost.create({ data: { host, nextAt: new Date() } });
        await change(host).catch(() => undefined);
        await database.webhookHost.delete({ where: { host } });
        await change(host);
      }),
    );
    expect(rows.length).toBe(1);
    expect(await isStored(host)).toBe(true);
  });
});

describe('The entry of an action', () => {
  it('is written before the result when the action reads a secret', async () => {
    const reading = { ...call, action: 'signing_key.revealed' } as const;
    const { rows } = await added(() => audited(database, reading, async () => 'secret'));
    expect(rows.length).toBe(1);
  });

  it('is missing in the transaction of a change: the action fails, so that a test finds it', async () => {
    const { outcome } = await added(() =>
      audited(database, call, () => database.execute(insertSql, [newHost()])),
    );
    expect(String(outcome)).toContain('webhook.paused did not write its entry in the transaction');
  });

  it('is written at once on the pool, for an action that sends data before it ends', async () => {
    let during = 0;
    const { rows } = await added(() =>
      audited(database, call, async () => {
        const before = (await entries()).length;
        await audit(database);
        during = (await entries()).length - before;
      }),
    );
    expect([during, rows.length]).toEqual([1, 1]);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('refused'))],
    [
      'says that it changes nothing',
      async () => {
        noteUnchanged();
        await audit(database);
      },
    ],
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
