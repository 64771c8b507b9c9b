import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, eraseMember } from '@rewardhook/database';
import { runReplayBatch } from '@rewardhook/database/stages';
import { defaultTerms, parseTerms } from '@rewardhook/rewards';
import { buildOrder, waitFor } from '@rewardhook/testing';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';
import { openAdmin } from '../../../../tests/harness/run-admin.ts';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await startFlow();
});
afterAll(() => flow.close());

describe('Webhooks on the command line', () => {
  let merchant: Merchant;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
  });

  const where = () => ({ where: { merchantId: merchant.id } });
  const endpoint = () => flow.database.endpoint.findFirstOrThrow(where());
  const deliveries = () => flow.database.delivery.findMany({ ...where(), orderBy: { createdAt: 'asc' } });
  const states = async () => (await deliveries()).map(({ state }) => state);
  const run = async (name: string, options: Record<string, string> = {}) =>
    flow.admin(name, { merchant: merchant.id, webhook: (await endpoint()).id, ...options });

  /** The first order of a referred member: one event for each side. */
  async function reward(friend: string): Promise<void> {
    await flow.link(merchant, 'ann', friend);
    await flow.sync(merchant, buildOrder({ member_id: friend }));
  }

  describe('webhook test', () => {
    it('sends a signed ping immediately, shows the response, and stores the delivery with its attempt', async () => {
      const hook = await flow.receiver(merchant, 'reward.issue');
      const sent = await run('webhook test');
      const [ping] = hook.received;
      expect(hook.received).toHaveLength(1);
      expect(ping).toMatchObject({ event: 'webhook.ping', verified: true, deliveryId: sent['deliveryId'] });
      expect(ping?.rawBody.toString()).toBe(sent['body']);
      expect(sent).toMatchObject({ delivered: true, eventType: 'webhook.ping', outcome: { status: 204 } });
      expect(JSON.stringify(sent)).not.toContain(merchant.signingSecret);

      const shown = await flow.admin('delivery show', {
        merchant: merchant.id,
        delivery: String(sent['deliveryId']),
      });
      expect(shown).toMatchObject({
        state: 'delivered',
        attemptsMade: 1,
        nextAttemptAt: null,
        event: { type: 'webhook.ping', body: sent['body'] },
        attempts: [{ number: 1, status: 204, errorClass: null, requestHeaders: sent['requestHeaders'] }],
      });
      const { requestHeaders, timings } = (shown['attempts'] as Record<string, object>[])[0] as Record<
        string,
        object
      >;
      const asKept = Object.entries(requestHeaders as object).map(([name, value]) => [
        name.toLowerCase(),
        value,
      ]);
      expect({ connection: 'keep-alive', ...Object.fromEntries(asKept) }).toEqual(ping?.headers);
      expect(timings).toMatchObject({ totalMs: expect.any(Number), connectMs: expect.any(Number) });
    });

    it('works for a paused and for a disabled webhook, and changes neither', async () => {
      let status = 410;
      const hook = await flow.receiver(merchant, 'reward.issue', { respond: () => status });
      await run('webhook pause');
      expect(await run('webhook test')).toMatchObject({ delivered: false, outcome: { status: 410 } });
      expect(await endpoint()).toMatchObject({
        pausedAt: expect.any(Date),
        disabledAt: null,
        failuresInARow: 0,
      });
      await flow.database.endpoint.updateMany({ ...where(), data: { disabledAt: new Date() } });
      status = 200;
      expect(await run('webhook test')).toMatchObject({ delivered: true });
      expect([hook.received.length, await states()]).toEqual([2, ['exhausted', 'delivered']]);
      expect(await endpoint()).toMatchObject({ pausedAt: expect.any(Date), disabledAt: expect.any(Date) });
    });

    it('is not retried when it fails, and delays no other delivery', async () => {
      let status = 500;
      const hook = await flow.receiver(merchant, 'reward.issue', { respond: () => status });
      expect(await run('webhook test')).toMatchObject({ delivered: false, outcome: { result: 'response' } });
      expect(await deliveries()).toMatchObject([
        { state: 'exhausted', nextAttemptAt: null, attemptsMade: 1 },
      ]);
      status = 204;
      await run('webhook pause');
      await run('webhook resume');
      await reward('bob');
      await waitFor(async () => (await states()).join() === 'exhausted,delivered,delivered');
      expect(hook.received.map(({ event }) => event)).toEqual([
        'webhook.ping',
        'reward.issue',
        'reward.issue',
      ]);
      await hook.close();
      expect(await run('webhook test')).toMatchObject({
        outcome: { result: 'error', errorClass: 'connect' },
      });
    });

    it('treats the webhook of another merchant as one that does not exist', async () => {
      await flow.receiver(merchant, 'reward.issue');
      const other = await flow.openMerchant();
      const webhook = (await endpoint()).id;
      const commands = [
        ['webhook test', { webhook }],
        ['webhook pause', { webhook }],
        ['webhook resume', { webhook }],
        ['webhook set', { webhook, 'retry-hours': '5' }],
      ] as const;
      for (const [name, options] of commands)
        await expect(flow.admin(name, { merchant: other.id, ...options })).rejects.toThrow('has no');
      expect(await states()).toEqual([]);
      await run('webhook delete');
      for (const [name, options] of commands) await expect(run(name, options)).rejects.toThrow('has no');
    });
  });

  describe('webhook pause and resume', () => {
    it('hold pending and new deliveries, and send all of them afterwards without earlier failures', async () => {
      let status = 500;
      const hook = await flow.receiver(merchant, 'reward.issue', { respond: () => status });
      await reward('bob');
      await waitFor(
        async () => (await deliveries()).filter(({ attemptsMade }) => attemptsMade === 1).length === 2,
      );
      await run('webhook pause');
      await reward('carl');
      await waitFor(async () => (await deliveries()).length === 4);
      expect(await states()).toEqual(['held', 'held', 'held', 'held']);
      expect(await listed()).toMatchObject({ pausedAt: expect.any(Date) });
      await expect(run('webhook pause')).rejects.toThrow('already paused');
      const before = hook.received.length;

      status = 204;
      await flow.database.endpoint.updateMany({
        ...where(),
        data: {
          breakerOpenedAt: new Date(),
          sendAfter: new Date(Date.now() + 1e6),
          failuresInARow: 9,
          probesFailed: 2,
        },
      });
      await run('webhook resume');
      expect(await endpoint()).toMatchObject({
        pausedAt: null,
        breakerOpenedAt: null,
        sendAfter: null,
        failuresInARow: 0,
        probesFailed: 0,
      });
      await waitFor(async () => (await states()).every((state) => state === 'delivered'));
      expect(hook.received.length - before).toBe(4);
      await expect(run('webhook resume')).rejects.toThrow('has no paused');
    });

    it('hold the deliveries of a webhook that is also disabled until it is enabled', async () => {
      const hook = await flow.receiver(merchant, 'reward.issue');
      await run('webhook pause');
      await flow.database.endpoint.updateMany({ ...where(), data: { disabledAt: new Date() } });
      await reward('bob');
      await waitFor(async () => (await states()).length === 2);
      await run('webhook resume');
      expect([await states(), hook.received.length]).toEqual([['held', 'held'], 0]);
      await run('webhook enable');
      await waitFor(async () => (await states()).every((state) => state === 'delivered'));
    });

    async function listed() {
      const { webhooks } = await flow.admin('webhook list', { merchant: merchant.id });
      return (webhooks as object[])[0];
    }
  });

  describe('webhook list', () => {
    it('shows why a webhook is disabled as text, and its health under stable keys', async () => {
      await flow.receiver(merchant, 'reward.issue', { respond: () => 410 });
      await reward('bob');
      await waitFor(async () => (await endpoint()).disabledAt !== null);
      const { webhooks } = await flow.admin('webhook list', { merchant: merchant.id });
      const [webhook] = webhooks as [object];
      expect(webhook).toMatchObject({ disabledReason: 'The receiver answered 410 Gone.' });
      expect(Object.keys(webhook).toSorted()).toEqual([
        'breakerOpenedAt',
        'burstFailures',
        'burstSince',
        'createdAt',
        'disabledAt',
        'disabledReason',
        'eventTypes',
        'failingSince',
        'failuresInARow',
        'firstSuccessAt',
        'id',
        'inFlightLimit',
        'lastFailedAt',
        'name',
        'operatorPausedAt',
        'parkedAt',
        'parkedError',
        'pausedAt',
        'probesFailed',
        'rampPerSecond',
        'retryAt',
        'retryHours',
        'sendAfter',
        'url',
        'warnedAt',
      ]);
    });
  });

  describe('webhook set', () => {
    it('sets and clears the name and the retry hours within their limits', async () => {
      await flow.receiver(merchant, 'reward.issue');
      expect(await run('webhook set', { 'retry-hours': '6' })).toMatchObject({ retryHours: 6 });
      expect(await endpoint()).toMatchObject({ retryHours: 6 });
      await run('webhook set', { 'retry-hours': 'schedule' });
      expect(await endpoint()).toMatchObject({ retryHours: null });
      for (const hours of ['0', '721', '1.5', 'x', '-1'])
        await expect(run('webhook set', { 'retry-hours': hours })).rejects.toThrow('1 to 720');
      expect(await run('webhook set', { name: 'Shop server' })).toMatchObject({ name: 'Shop server' });
      expect(await endpoint()).toMatchObject({ name: 'Shop server', retryHours: null });
      await run('webhook set', { name: '' });
      expect(await endpoint()).toMatchObject({ name: null });
      await expect(run('webhook set', { name: 'x'.repeat(101) })).rejects.toThrow('--name');
      await expect(run('webhook set', {})).rejects.toThrow('Give --name or --retry-hours.');
    });
  });
});

describe('Programs on the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rewardhook-programs-'));
  let merchant: Merchant;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
  });

  const file = (content: unknown) => {
    const path = join(folder, `${randomUUID()}.json`);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  const run = (name: string, options: Record<string, string> = {}) =>
    flow.admin(name, { merchant: merchant.id, ...options });
  const points = (value: number) => ({ type: 'points', unit: 'points', amount: { kind: 'fixed', value } });
  const order = (member_id: string, day: number) =>
    buildOrder({ member_id, order_id: `${member_id}-${day}`, order_date: `2026-11-0${day}T03:00:00Z` });

  describe('program publish', () => {
    it('adds a version, which is listed first, with the default for missing fields', async () => {
      const published = await run('program publish', { program: file({ holdDays: 7 }), note: 'a week' });
      expect(published).toMatchObject({ version: 2, terms: parseTerms({ holdDays: 7 }) });
      const shown = await run('program show');
      const at = { publishedAt: expect.any(Date) };
      expect(shown).toEqual({
        programId: published['programId'],
        versions: [
          {
            version: 2,
            ...at,
            publishedBy: 'operator',
            note: 'a week',
            terms: parseTerms({ holdDays: 7 }),
          },
          { version: 1, ...at, publishedBy: null, note: '', terms: defaultTerms },
        ],
        more: false,
      });
    });

    it('changes no existing reward', async () => {
      await flow.link(merchant, 'ann', 'bob');
      const bobs = buildOrder({ member_id: 'bob' });
      await flow.syncAndSettle(merchant, bobs);
      const rewards = () => flow.database.reward.findMany({ where: { merchantId: merchant.id } });
      const before = await rewards();
      await run('program publish', { program: file({ referee: null, referrer: points(9) }) });
      await flow.syncAndSettle(merchant, bobs);
      expect(before).toHaveLength(2);
      expect(await rewards()).toEqual(before);
    });

    it('numbers versions without gaps when several operators publish at the same time', async () => {
      const files = [1, 2, 3, 4, 5].map((holdDays) => file({ holdDays }));
      await Promise.all(files.map((program) => run('program publish', { program })));
      const { versions } = await run('program show');
      expect((versions as { version: number }[]).map(({ version }) => version)).toEqual([6, 5, 4, 3, 2, 1]);
    });

    it('refuses with --base-version to replace a newer version than the one that the terms were edited from', async () => {
      const publish = (terms: object, base?: string) =>
        run('program publish', { program: file(terms), ...(base && { 'base-version': base }) });
      expect(await publish({ minimumPaidAmount: 5_000 }, '1')).toMatchObject({ version: 2 });
      await expect(publish({ holdDays: 7 }, '1')).rejects.toThrow(
        /^Nothing was published: version 2 is the newest.+changed since: rules\[default\]\.minimumPaidAmount\..+--base-version 2\.$/,
      );
      await expect(publish({ holdDays: 7 }, '9')).rejects.toThrow('The program has no version 9.');
      await expect(publish({ holdDays: 7 }, 'two')).rejects.toThrow(
        '--base-version must be a version number.',
      );
      const both = { minimumPaidAmount: 5_000, holdDays: 7 };
      expect(await publish(both, '2')).toMatchObject({ version: 3, terms: parseTerms(both) });
    });

    it('reports all problems of the terms at once', async () => {
      const program = file({ trigger: 'always', holdDays: -1, referee: { type: 'points' }, unknown: 1 });
      const error: Error = (await run('program publish', { program }).catch(
        (thrown: Error) => thrown,
      )) as never;
      for (const field of ['trigger', 'holdDays', 'referee.unit', 'referee.amount', 'unknown'])
        expect(error.message).toContain(`\n  ${field} `);
    });

    it.each([
      ['no JSON', () => file('{'), 'is not JSON'],
      ['an empty document', () => file('null'), 'has no valid terms of a program'],
      ['a missing file', () => join(folder, 'nosuch.json'), 'cannot be read'],
    ])('refuses %s', async (_what, path, message) => {
      await expect(run('program publish', { program: path() })).rejects.toThrow(message);
    });

    it('refuses an unknown merchant, as the other program commands do', async () => {
      const unknown = { merchant: 'mer_nosuch' };
      for (const [name, options] of [
        ['program publish', { ...unknown, program: file({}) }],
        ['program simulate', { ...unknown, program: file({}) }],
        ['program show', unknown],
      ] as const)
        await expect(flow.admin(name, options)).rejects.toThrow('There is no merchant mer_nosuch.');
    });
  });

  /** The admin command line with a role that may change nothing. */
  async function openReadOnlyAdmin() {
    const url = new URL(flow.environment.databaseUrl);
    url.username = `reader_${randomBytes(6).toString('hex')}`;
    url.password = 'p';
    const { username, password } = url;
    await flow.database.$executeRawUnsafe(
      `CREATE ROLE ${username} LOGIN PASSWORD '${password}' IN ROLE pg_read_all_data`,
    );
    const database = openDatabase({ url: url.href, poolSize: 1, applicationName: 'test' });
    return {
      admin: openAdmin(flow.environment, database, flow.sealer),
      async close() {
        await database.$disconnect();
        await flow.database.$executeRawUnsafe(`DROP ROLE ${username}`);
      },
    };
  }

  describe('program simulate', () => {
    // The orders have fixed dates.
    const earlierOrders = 'count';
    beforeEach(async () => {
      await run('program publish', { program: file({ earlierOrders }) });
      for (const referee of ['bob', 'eve']) await flow.link(merchant, 'ann', referee);
      await flow.syncAndSettle(
        merchant,
        order('bob', 1),
        order('bob', 2),
        order('eve', 3),
        order('stranger', 4),
      );
    });

    it('prints gains, losses and the cost', async () => {
      const draft = {
        trigger: 'every_order',
        referee: points(2_000),
        referrer: points(3_000),
        earlierOrders,
      };
      const program = file(draft);
      const report = await run('program simulate', { program });
      expect(report).toMatchObject({
        currentVersion: 2,
        orders: 3,
        reasons: { rewarded: 3 },
        draft: { rewards: 6, amounts: { points: 15_000 } },
        current: { rewards: 4, amounts: { points: 12_000 } },
        difference: { rewards: 2, amounts: { points: 3_000 } },
        totalCost: { points: 15_000 },
        gainsInAll: 2,
        gains: [
          { memberId: 'bob', role: 'referee', orderId: 'bob-2', amount: 2_000, unit: 'points' },
          { memberId: 'ann', role: 'referrer', orderId: 'bob-2', amount: 3_000, unit: 'points' },
        ],
        lossesInAll: 2,
        losses: [
          { memberId: 'bob', role: 'referee', orderId: 'bob-1', amount: 1_000, unit: 'points' },
          { memberId: 'eve', role: 'referee', orderId: 'eve-3', amount: 1_000, unit: 'points' },
        ],
      });
    });

    it('changes nothing: a connection that can only read is enough', async () => {
      const readOnly = await openReadOnlyAdmin();
      try {
        const options = { merchant: merchant.id, program: file({ trigger: 'every_order' }) };
        expect(await readOnly.admin('program simulate', options)).toMatchObject({ orders: 3 });
        await expect(readOnly.admin('program publish', options)).rejects.toThrow('permission denied');
      } finally {
        await readOnly.close();
      }
    });

    it('reads only orders since a day in the time zone of the merchant, or since a date-time', async () => {
      const program = file({});
      const orders = async (since: string) => (await run('program simulate', { program, since }))['orders'];
      expect(await orders('2026-11-02')).toBe(2);
      expect(await orders('2026-11-02T12:00:00+09:00')).toBe(2);
      expect(await orders('2026-11-02T03:00:01Z')).toBe(1);
      for (const since of ['yesterday', '2026-02-30', '2026-11-02T03:00', '2026-11-02T25:00:00Z'])
        await expect(orders(since)).rejects.toThrow('--since must be a date such as');
    });

    it('finds no difference for the program in force', async () => {
      expect(await run('program simulate', { program: file(parseTerms({ earlierOrders })) })).toMatchObject({
        gainsInAll: 0,
        lossesInAll: 0,
        difference: { rewards: 0 },
      });
    });
  });
});

describe('Replays on the command line', () => {
  let merchant: Merchant;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
  });

  const run = (name: string, options: Record<string, string | true> = {}) =>
    flow.admin(name, { merchant: merchant.id, ...options });
  const all = { states: 'delivered,exhausted,cancelled,held', from: '2026-01-01', 'per-minute': '60' };
  const deliveries = () => flow.database.delivery.findMany({ where: { merchantId: merchant.id } });
  const endpoint = async () =>
    (await flow.database.endpoint.findFirstOrThrow({ where: { merchantId: merchant.id } })).id;

  /** A referred friend's first order: a reward for each side, issued and delivered. */
  async function reward(friend: string): Promise<void> {
    await flow.link(merchant, 'ann', friend);
    await flow.syncAndSettle(merchant, buildOrder({ member_id: friend }));
  }

  describe('replay create', () => {
    it('counts deliveries by webhook and state in a dry run, and then replays the same ones', async () => {
      await flow.receiver(merchant, 'reward.issue');
      await reward('bob');
      const webhook = await endpoint();
      const counted = {
        total: 2,
        counts: [{ endpointId: webhook, state: 'delivered', count: 2 }],
        skipped: [],
      };
      expect(await run('replay create', { ...all, 'dry-run': true })).toEqual({ dryRun: true, ...counted });
      expect((await run('replay list'))['replays']).toEqual([]);

      const answer = await run('replay create', { ...all, webhook, 'per-minute': '1' });
      expect(answer).toMatchObject({
        ...counted,
        replay: { state: 'running', total: 2, endpointId: webhook },
      });
      const { id } = answer['replay'] as { id: string };
      expect(await run('replay list')).toMatchObject({ replays: [{ id, perMinute: 1 }] });
      expect(await run('replay cancel', { replay: id })).toMatchObject({
        id,
        state: 'cancelled',
        minutesLeft: 0,
      });
      await expect(run('replay resume', { replay: id })).rejects.toThrow('is cancelled');
    });

    it('rejects invalid options, and replays and webhooks of another merchant', async () => {
      await flow.receiver(merchant, 'reward.issue');
      const wrong: [Record<string, string>, string][] = [
        [{ states: 'pending' }, '--states must be'],
        [{ states: 'delivered,nothing' }, '--states must be'],
        [{ from: 'yesterday' }, '--from must be a date'],
        [{ until: '2026-02-30' }, '--until must be a date'],
        [{ from: '0001-01-01T00:00:00+15:59' }, '--from must be a date'],
        [{ until: '9999-12-31T23:59:59-15:59' }, '--until must be a date'],
        [{ until: '2025-01-01' }, '--from must be before'],
        [{ 'per-minute': '0' }, '--per-minute'],
        [{ 'per-minute': '60001' }, '--per-minute'],
        [{ 'new-ids': 'yes' }, '--new-ids'],
        [{ webhook: 'whk_none' }, 'has no webhook'],
      ];
      for (const [options, message] of wrong)
        await expect(run('replay create', { ...all, ...options })).rejects.toThrow(message);
      const { replay } = await run('replay create', all);
      const { id } = replay as { id: string };
      const other = await flow.openMerchant();
      for (const name of ['show', 'pause', 'resume', 'cancel'])
        await expect(flow.admin(`replay ${name}`, { merchant: other.id, replay: id })).rejects.toThrow(
          'has no replay',
        );
      const webhook = await endpoint();
      await expect(flow.admin('replay create', { merchant: other.id, ...all, webhook })).rejects.toThrow(
        'has no',
      );
      expect(await flow.admin('replay list', { merchant: other.id })).toEqual({ replays: [] });
    });
  });

  describe('An expired event', () => {
    it('cannot be retried', async () => {
      await flow.receiver(merchant, 'reward.issue');
      await reward('bob');
      const [delivery] = await deliveries();
      const { id, eventId } = delivery as { id: string; eventId: string };
      expect(await run('delivery retry', { delivery: id })).toMatchObject({ due: true });
      await flow.database.event.updateMany({ where: { id: eventId }, data: { expiresAt: new Date() } });
      await expect(run('delivery retry', { delivery: id })).rejects.toThrow('too old to be sent');
    });
  });

  describe('An erased member', () => {
    it('is left out of retries and of replays under old ids, and is sent with the erased id under new ids', async () => {
      const hook = await flow.receiver(merchant, 'reward.issue');
      await reward('bob');
      const [delivery] = await deliveries();
      await run('member erase', { member: 'bob' });
      expect(await run('replay create', { ...all, 'dry-run': true })).toMatchObject({
        total: 0,
        skipped: [{ reason: 'event_erased', count: 2 }],
      });
      await expect(run('delivery retry', { delivery: delivery?.id ?? '' })).rejects.toThrow('member erased');
      await run('replay create', { ...all, 'new-ids': 'true', 'per-minute': '60000' });
      await hook.waitFor(({ rawBody }) => rawBody.includes('erased-'));
      const old = new Set((await deliveries()).filter(({ replayId }) => replayId === '').map(({ id }) => id));
      const tombstones = hook.received.filter(({ rawBody }) => rawBody.includes('erased-'));
      expect(tombstones.some(({ deliveryId }) => old.has(String(deliveryId)))).toBe(false);
    });

    it('is not erased while a delivery that names them was just made due again', async () => {
      await flow.receiver(merchant, 'reward.issue');
      await reward('bob');
      const [delivery] = await deliveries();
      let erasure: Promise<unknown> | undefined;
      // In the order of a retry or a replay: the event is locked, then the delivery is made due.
      await flow.database.$transaction(async (tx) => {
        await tx.$queryRaw`SELECT 1 FROM events WHERE id = ${delivery?.eventId} FOR SHARE`;
        await tx.$executeRaw`
        UPDATE deliveries SET state = 'pending', next_attempt_at = now() + interval '1 hour'
        WHERE id = ${delivery?.id}::uuid`;
        erasure = eraseMember(flow.database, merchant.id, 'bob', { cancelDeliveries: false });
        erasure.catch(() => undefined);
        // On another connection: a transaction caches pg_stat_activity from its first query.
        const isErasureWaiting = async () => {
          const [row] = await flow.database.$queryRaw<{ waits: boolean }[]>`
          SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
            AND wait_event_type = 'Lock' AND query LIKE '%UPDATE events%') AS waits`;
          return row?.waits ?? false;
        };
        await waitFor(isErasureWaiting, { everyMs: 5, what: 'the erasure to wait for the event' });
      });
      await expect(erasure).rejects.toThrow('still to be sent');
      const { body } = await flow.database.event.findFirstOrThrow({ where: { id: delivery?.eventId ?? '' } });
      expect(body).toContain('bob');
      expect(await runReplayBatch(flow.database)).toBeUndefined();
    });
  });
});
