import { randomUUID } from 'node:crypto';
import { database, useDatabase } from '../fixtures/use-database.ts';
import type { FoundProblem } from '../problems/find-problems.ts';
import {
  claimNotifications,
  completeNotification,
  listProblems,
  skipNotifications,
} from '../problems/problems.ts';
import { recordProblems } from '../problems/record-problems.ts';
import { pruneDatabase } from '../retention/prune.ts';
import { countClicks } from './click-counts.ts';
import { countLateRewards, countPromises, listOpenPromises, readPromiseSums } from './promises.ts';

describe('Open promises', () => {
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

  useDatabase(2);
  beforeEach(
    () =>
      database.$executeRaw`TRUNCATE merchants, endpoints, deliveries, due_batches, rewards, open_promises CASCADE`,
  );

  async function addMerchant(id: string, testSide = {}): Promise<void> {
    await database.merchant.create({ data: { id, name: 'Shop', identitySecret: '', ...testSide } });
  }

  /** Adds an endpoint, `whk_` and the name, with deliveries in these states: the minutes ago that each was created. */
  async function addEndpoint(
    merchantId: string,
    name: string,
    changes: object,
    deliveries: { state: string; minutes: number; eventId?: string; replayId?: string; promised?: boolean }[],
  ): Promise<void> {
    const id = `whk_${name}`;
    const url = 'https://shop.example/hook';
    await database.endpoint.create({ data: { id, merchantId, url, eventTypes: [], ...changes } });
    await database.delivery.createMany({
      data: deliveries.map(({ minutes, ...delivery }, index) => ({
        id: randomUUID(),
        merchantId,
        eventId: `evt_${name}_${index}`,
        eventCreatedAt: new Date(),
        endpointId: id,
        createdAt: minutesAgo(minutes),
        promised: true,
        ...delivery,
      })),
    });
  }

  const holders = async () => {
    await countPromises(database);
    const open = await listOpenPromises(database, 100);
    return Object.fromEntries(
      open.map(({ merchantId, kind, holder, number, oldestSeconds }) => [
        `${merchantId} ${kind} ${holder}`,
        [number, Math.round(oldestSeconds / 60)],
      ]),
    );
  };

  it('are the rewards that were not delivered, by what holds them, with the age of the oldest', async () => {
    await addMerchant('mer_1');
    const now = new Date();
    const two = (state: string) => [
      { state, minutes: 5 },
      { state, minutes: 20 },
    ];
    await addEndpoint('mer_1', 'fine', {}, [...two('pending'), { state: 'delivered', minutes: 90 }]);
    await addEndpoint('mer_1', 'broken', { breakerOpenedAt: now }, two('pending'));
    await addEndpoint('mer_1', 'paused', { pausedAt: now }, two('held'));
    await addEndpoint('mer_1', 'operated', { operatorPausedAt: now, breakerOpenedAt: now }, two('pending'));
    await addEndpoint('mer_1', 'gone', { disabledAt: now }, two('held'));
    await addEndpoint('mer_1', 'parked', { parkedAt: now }, two('pending'));
    await addEndpoint('mer_1', 'spent', {}, [...two('exhausted'), { state: 'cancelled', minutes: 90 }]);
    expect(await holders()).toEqual({
      'mer_1 delivered sending': [2, 20],
      'mer_1 delivered breaker': [2, 20],
      'mer_1 delivered paused': [2, 20],
      'mer_1 delivered operator_paused': [2, 20],
      'mer_1 delivered disabled': [2, 20],
      'mer_1 delivered parked': [2, 20],
      'mer_1 delivered exhausted': [2, 20],
    });
    expect(await countLateRewards(database, 'all')).toBe(10);
    expect(await countLateRewards(database, 'service')).toBe(2);
    const { countedSeconds, sums } = await readPromiseSums(database);
    expect(countedSeconds).toBeLessThan(30);
    expect(sums.filter(({ number }) => number > 0)).toHaveLength(7);
    expect(sums).toHaveLength(11);
  });

  it('are not those of a test side, of other events, and of a webhook that was deleted', async () => {
    await addMerchant('mer_1');
    await addMerchant('mer_test_1', { mode: 'test', liveMerchantId: 'mer_1' });
    await addEndpoint('mer_1', 'tested', {}, [{ state: 'exhausted', minutes: 90, promised: false }]);
    await addEndpoint('mer_1', 'deleted', { deletedAt: new Date() }, [{ state: 'exhausted', minutes: 90 }]);
    await addEndpoint('mer_test_1', 'test', {}, [{ state: 'pending', minutes: 90 }]);
    expect(await holders()).toEqual({});
  });

  it('no longer contain a delivery without retries when a replay under a new id has delivered its event', async () => {
    await addMerchant('mer_1');
    const replay = { eventId: 'evt_1', replayId: 'rpl_1', minutes: 30 };
    await addEndpoint('mer_1', 'spent', {}, [
      { state: 'exhausted', minutes: 60, eventId: 'evt_1' },
      { state: 'exhausted', minutes: 45, eventId: 'evt_2' },
      { state: 'delivered', ...replay },
    ]);
    expect(await holders()).toEqual({ 'mer_1 delivered exhausted': [1, 45] });
  });

  it('contain those of a webhook whose merchant has a new id, while the data of the former one is deleted', async () => {
    await addMerchant('mer_1');
    await addEndpoint('mer_1', 'spent', {}, [{ state: 'exhausted', minutes: 30 }]);
    await database.wipe.create({ data: { merchantId: 'mer_former', liveMerchantId: 'mer_1' } });
    const delivery = {
      id: randomUUID(),
      merchantId: 'mer_former',
      eventId: 'evt_former',
      endpointId: 'whk_spent',
    };
    const times = { eventCreatedAt: new Date(), createdAt: minutesAgo(60) };
    await database.delivery.create({ data: { ...delivery, ...times, state: 'exhausted', promised: true } });
    expect(await holders()).toEqual({ 'mer_1 delivered exhausted': [2, 60] });
  });

  it('are at most 10,001 of a merchant and a holder', async () => {
    await addMerchant('mer_1');
    await addEndpoint('mer_1', 'busy', {}, []);
    await database.$executeRaw`INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id, promised)
      SELECT gen_random_uuid(), 'mer_1', 'evt_' || n, now(), 'whk_busy', true FROM generate_series(1, 12000) n`;
    expect(await holders()).toEqual({ 'mer_1 delivered sending': [10_001, 0] });
  });

  it('contain orders that were not evaluated, and count those of a batch', async () => {
    const batch = { merchantId: 'mer_1', memberIds: ['a', 'b'], orderVersions: [1n, 1n] };
    await database.dueBatch.create({
      data: { ...batch, orderIds: ['o1', 'o2'], dueSince: minutesAgo(3) },
    });
    await database.dueBatch.create({
      data: { ...batch, orderIds: ['o3'], dueSince: minutesAgo(9), parkedAt: new Date(), failures: 4 },
    });
    expect(await holders()).toEqual({ 'mer_1 evaluated waiting': [2, 3], 'mer_1 evaluated parked': [1, 9] });
  });

  it('contain confirmed rewards without a webhook, unless the merchant uses the feed and has read it in the last day', async () => {
    await addMerchant('mer_1');
    const reward = {
      merchantId: 'mer_1',
      programId: 'prg_1',
      programVersion: 1,
      referralId: 'ref_1',
      role: 'referee',
      memberId: 'a',
      orderId: 'o1',
      type: 'points',
      amount: 100n,
      unit: 'P',
      month: '2026-11',
      noWebhookRegistered: true,
    };
    const confirmed = { ...reward, state: 'confirmed', confirmedAt: minutesAgo(40) };
    await database.reward.create({ data: { ...confirmed, id: 'rwd_1', subject: 'order:1' } });
    await database.reward.create({
      data: { ...reward, state: 'revoked', id: 'rwd_2', subject: 'order:2', confirmedAt: minutesAgo(50) },
    });
    expect(await holders()).toEqual({ 'mer_1 delivered no_webhook': [1, 40] });
    expect(await countLateRewards(database, 'all')).toBe(1);
    expect(await countLateRewards(database, 'service')).toBe(0);

    const update = (data: object) => database.merchant.update({ where: { id: 'mer_1' }, data });
    await update({ usesFeed: true });
    expect(await holders()).toEqual({ 'mer_1 delivered no_webhook': [1, 40] });
    await update({ feedReadAt: minutesAgo(60) });
    expect(await holders()).toEqual({});
    await update({ feedReadAt: minutesAgo(25 * 60) });
    expect(await holders()).toEqual({ 'mer_1 delivered no_webhook': [1, 40] });
  });

  it('can be counted by several processes at the same time', async () => {
    await addMerchant('mer_1');
    await addEndpoint('mer_1', 'broken', { breakerOpenedAt: new Date() }, [{ state: 'pending', minutes: 1 }]);
    await Promise.all([countPromises(database), countPromises(database), countPromises(database)]);
    expect(await listOpenPromises(database, 10)).toMatchObject([{ holder: 'breaker', number: 1 }]);
  });

  it('are found by indexes of what is open, without reading what was delivered', async () => {
    await addMerchant('mer_1');
    await addEndpoint('mer_1', 'busy', {}, []);
    await database.$executeRaw`INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id, state, promised)
      SELECT gen_random_uuid(), 'mer_1', 'evt_' || n, now(), 'whk_busy',
        CASE WHEN n % 1000 = 0 THEN 'held' ELSE 'delivered' END, true FROM generate_series(1, 30000) n`;
    await database.$executeRaw`INSERT INTO rewards (merchant_id, id, program_id, program_version, referral_id, subject, role, member_id,
        order_id, type, amount, unit, state, month, confirmed_at, no_webhook_registered)
      SELECT 'mer_1', 'rwd_' || n, 'prg_1', 1, 'ref_1', 'order:' || n, 'referee', 'a', 'o' || n, 'points', 1, 'P', 'confirmed',
        '2026-11', now(), n % 1000 = 0 FROM generate_series(1, 20000) n`;
    await database.$executeRaw`ANALYZE deliveries, rewards`;
    await database.$executeRaw`SELECT pg_stat_reset()`;
    /** How often each table was read in full, and how many entries of its index were read. */
    const reads = async () => {
      await database.$executeRaw`SELECT pg_stat_force_next_flush()`;
      return database.query<{ index: string; seq: number; rows: number }>(
        `SELECT i.indexrelname AS index, t.seq_scan::int AS seq, i.idx_tup_read::int AS rows FROM pg_stat_user_tables t
         JOIN pg_stat_user_indexes i ON i.relid = t.relid
         WHERE i.indexrelname IN ('deliveries_open_idx', 'rewards_no_webhook_registered_idx') ORDER BY index`,
      );
    };
    const [deliveries, rewards] = await reads();
    await countPromises(database);
    // One entry more, by which the webhook or the merchant is found.
    expect(await reads()).toEqual([
      { ...deliveries, rows: (deliveries?.rows ?? 0) + 31 },
      { ...rewards, rows: (rewards?.rows ?? 0) + 21 },
    ]);
  });
});

describe('Click counts', () => {
  useDatabase(3);

  const quarter = 900_000;
  const minute = 60_000;
  /** The start of a quarter-hour, some hours ago. */
  const start = Math.floor(Date.now() / quarter) * quarter - 20 * 4 * quarter;
  const at = (minutes: number) => new Date(start + minutes * minute);

  const click = (merchantId: string, minutes: number) =>
    database.click.create({ data: { merchantId, id: randomUUID(), code: 'CODE', clickedAt: at(minutes) } });
  const counts = async () =>
    (await database.clickCount.findMany({ orderBy: [{ merchantId: 'asc' }, { startsAt: 'asc' }] })).map(
      ({ merchantId, startsAt, total }) => [merchantId, (startsAt.getTime() - start) / quarter, total],
    );

  it('are those of each quarter-hour that is over, also of one that was late, of all merchants and of any time without a count', async () => {
    await database.clickProgress.updateMany({ data: { countedUntil: at(-90) } });
    for (const minutes of [-70, 0, 14.9, 15, 31]) await click('mer_1', minutes);
    await click('mer_2', 20);
    // The quarter-hour from 30 has just ended: transactions with a time in it may still run.
    await countClicks(database, { now: at(47) });
    const first = [
      ['mer_1', -5, 1],
      ['mer_1', 0, 2],
      ['mer_1', 1, 1],
      ['mer_2', 1, 1],
    ];
    expect(await counts()).toEqual(first);
    await click('mer_1', 16);
    await click('mer_1', 15 * 60);
    await Promise.all([1, 2].map(() => countClicks(database, { now: at(50) })));
    const second = [...first.slice(0, 2), ['mer_1', 1, 2], ['mer_1', 2, 1], ['mer_2', 1, 1]];
    expect(await counts()).toEqual(second);
    // Of more than six hours, in several statements.
    await countClicks(database, { now: at(16 * 60) });
    expect(await counts()).toEqual([...second.slice(0, 4), ['mer_1', 60, 1], second[4]]);
  });

  it('are kept for 400 days, and longer than the clicks', async () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * minute);
    await database.clickCount.createMany({
      data: [399, 401].map((days) => ({ merchantId: 'mer_old', startsAt: daysAgo(days), total: 1 })),
    });
    const policy = { attemptsDays: 30, eventsDays: 90, decisionsDays: 400, noticesDays: 90, replaysDays: 90 };
    await pruneDatabase(database, { ...policy, auditDays: 400 });
    expect(await database.clickCount.count({ where: { merchantId: 'mer_old' } })).toBe(1);
  });
});

describe('recordProblems', () => {
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
