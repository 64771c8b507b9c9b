import { database, useDatabase } from '../fixtures/use-database.ts';
import type { FoundProblem } from './find-problems.ts';
import { claimNotifications, completeNotification, listProblems, skipNotifications } from './problems.ts';
import { recordProblems } from './record-problems.ts';

useDatabase(4);
beforeAll(() => database.merchant.create({ data: { id: 'mer_1', name: 'Shop', identitySecret: '' } }));
beforeEach(() => database.$executeRaw`TRUNCATE problems`);

const failing: FoundProblem = {
  merchantId: 'mer_1',
  kind: 'webhook_failing',
  subject: 'whk_1',
  number: 7,
  error: 'status 500',
};
const checked = { kinds: ['webhook_failing' as const], findings: ['redisFull'] };
const all = async () => (await listProblems(database, {}, { after: null, limit: 100 })).items;
const pass = (minutes: number) =>
  database.query(
    `UPDATE problems SET last_seen_at = last_seen_at - make_interval(mins => $1),
       resolved_at = resolved_at - make_interval(mins => $1), notified_at = notified_at - make_interval(mins => $1)`,
    [minutes],
  );

/** Notifies the operator of what is due. Returns the attempts. */
const notify = async (delivered: boolean) => {
  const claimed = await claimNotifications(database, { limit: 10, leaseSeconds: 60 });
  for (const one of claimed) await completeNotification(database, one, delivered);
  return claimed.map(({ attempt }) => attempt);
};

describe('recordProblems', () => {
  it('has one open row for a problem, whoever finds it at the same time', async () => {
    await Promise.all(Array.from({ length: 4 }, () => recordProblems(database, [failing], checked)));
    expect(await all()).toMatchObject([
      { kind: 'webhook_failing', subject: 'whk_1', number: 7, openings: 1 },
    ]);
    await recordProblems(database, [{ ...failing, number: 9, error: null }], checked);
    expect(await all()).toMatchObject([{ number: 9, last_error: 'status 500', resolved_at: null }]);
  });

  it('closes what was looked for and not found for 10 minutes, and nothing else', async () => {
    await recordProblems(database, [failing], checked);
    await recordProblems(database, [], checked);
    expect(await all()).toMatchObject([{ resolved_at: null }]);
    await pass(11);
    await recordProblems(database, [], { kinds: ['no_webhook'], findings: [] });
    expect(await all()).toMatchObject([{ resolved_at: null }]);
    await recordProblems(database, [], checked);
    expect(await all()).toMatchObject([{ resolved_at: expect.any(String) }]);
  });

  it('closes a finding only when that check has run', async () => {
    const finding: FoundProblem = {
      merchantId: '',
      kind: 'finding',
      subject: 'redisFull',
      number: 1,
      error: null,
    };
    await recordProblems(database, [finding], checked);
    await pass(11);
    await recordProblems(database, [], { kinds: [], findings: ['jobsFailed'] });
    expect(await all()).toMatchObject([{ merchant_id: null, resolved_at: null }]);
    await recordProblems(database, [], { kinds: [], findings: ['redisFull'] });
    expect(await all()).toMatchObject([{ resolved_at: expect.any(String) }]);
  });

  it('opens the same row again within a day, and another one later', async () => {
    await recordProblems(database, [failing], checked);
    const close = async () => {
      await pass(11);
      await recordProblems(database, [], checked);
    };
    await close();
    await pass(23 * 60);
    await recordProblems(database, [failing], checked);
    expect(await all()).toMatchObject([{ openings: 2, resolved_at: null }]);
    await close();
    await pass(25 * 60);
    await recordProblems(database, [failing], checked);
    expect((await all()).map(({ openings }) => openings)).toEqual([1, 2]);
  });

  it('opens no problem of a test side, and of an id that no merchant has any more', async () => {
    await database.merchant.create({
      data: { id: 'mer_test_1', name: 'Shop', identitySecret: '', mode: 'test', liveMerchantId: 'mer_1' },
    });
    const refused: FoundProblem = { ...failing, kind: 'requests_refused', subject: 'invalid_request' };
    await recordProblems(
      database,
      ['mer_test_1', 'mer_former'].map((merchantId) => ({ ...refused, merchantId })),
      checked,
    );
    expect(await all()).toEqual([]);
  });

  it('notifies the operator once of a problem, and of one that returns only a day later', async () => {
    await recordProblems(database, [failing], checked);
    expect(await notify(true)).toEqual([1]);
    const comeAndGo = async (minutes: number) => {
      await pass(11);
      await recordProblems(database, [], checked);
      await pass(minutes);
      await recordProblems(database, [failing], checked);
    };
    await comeAndGo(60);
    expect(await notify(true)).toEqual([]);
    await comeAndGo(23 * 60);
    expect(await notify(true)).toEqual([1]);
  });

  it('tries to notify the operator five times', async () => {
    await recordProblems(database, [failing], checked);
    const attempts: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      attempts.push(...(await notify(false)));
      await database.$executeRaw`UPDATE problems SET notify_at = now() WHERE notify_at IS NOT NULL`;
    }
    expect(attempts).toEqual([1, 2, 3, 4, 5]);
  });

  it('notifies nobody without a URL', async () => {
    await recordProblems(database, [failing], checked);
    await skipNotifications(database);
    expect(await notify(true)).toEqual([]);
  });
});
