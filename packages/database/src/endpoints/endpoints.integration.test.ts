import type { EndpointNoticeData } from '@rewardhook/contract';
import { createTestDatabase } from '@rewardhook/testing/servers';
import type { TestDatabase } from '@rewardhook/testing/servers';
import { transact } from '../client/client.ts';
import type { Database } from '../client/client.ts';
import { openDatabase } from '../client/prisma.ts';
import { claimDeliveries } from '../deliveries/claim-deliveries.ts';
import { recordAttempts } from '../deliveries/record-attempts.ts';
import { retryDelivery } from '../deliveries/retry-delivery.ts';
import { buildAttempt } from '../fixtures/build-attempt.ts';
import { lockDelivery, meetInDeadlock } from '../fixtures/meet-in-deadlock.ts';
import { insertTestMerchants } from '../fixtures/test-merchants.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { openSealer } from '../merchants/sealer.ts';
import { readWaitingWork } from '../operations/waiting-work.ts';
import { enableEndpoint, pauseEndpoint, resumeEndpoint } from './endpoint-control.ts';
import { initialHealth, updateEndpointHealth } from './endpoint-health.ts';
import type { EndpointHealthUpdate, EndpointHealth } from './endpoint-health.ts';
import { recordEndpointTransition } from './endpoint-transitions.ts';
import { deleteEndpoint, updateEndpoint } from './endpoints.ts';
import { cancelDeliveriesOfDeletedEndpoints, releaseHeldDeliveries } from './held-deliveries.ts';
import { insertNotice } from './notices.ts';
import { listParkedEndpoints, parkEndpoint, unparkEndpoints } from './park-endpoint.ts';
import { findSendableEndpoints, listDueEndpoints } from './sendable-endpoints.ts';
import { openTestEventStore } from './test-events.ts';

describe('The control of an endpoint', () => {
  const merchantId = 'mer_1';
  useDatabase(4);
  beforeAll(() => insertTestMerchants(merchantId));

  async function openEndpoint(state: 'held' | 'pending', fields: object = {}) {
    const id = `whk_${crypto.randomUUID()}`;
    const data = { id, merchantId, url: 'https://shop.example/', eventTypes: [], ...fields };
    await database.endpoint.create({ data });
    const delivery = crypto.randomUUID();
    const nextAttemptAt = state === 'pending' ? new Date() : null;
    await database.delivery.create({
      data: {
        id: delivery,
        merchantId,
        eventId: `evt_${id}`,
        eventCreatedAt: new Date(),
        endpointId: id,
        state,
        nextAttemptAt,
        scheduleStep: 4,
      },
    });
    return { id, find: () => database.delivery.findFirstOrThrow({ where: { id: delivery } }), delivery };
  }

  describe('held deliveries', () => {
    it('A delivery that a late evaluation has held for an active endpoint is released', async () => {
      const now = new Date();
      const misplaced = await openEndpoint('held');
      const held = [
        await openEndpoint('held', { pausedAt: now }),
        await openEndpoint('held', { disabledAt: now }),
        await openEndpoint('held', { deletedAt: now }),
      ];
      expect(await releaseHeldDeliveries(database)).toEqual([{ merchantId, endpointId: misplaced.id }]);
      expect(await misplaced.find()).toMatchObject({
        state: 'pending',
        scheduleStep: 0,
        nextAttemptAt: expect.any(Date),
      });
      for (const { find } of held) expect(await find()).toMatchObject({ state: 'held', nextAttemptAt: null });
      expect(await releaseHeldDeliveries(database)).toEqual([]);
    });

    it('A delivery to an endpoint that was deleted meanwhile is cancelled', async () => {
      const active = await openEndpoint('pending');
      const undeliverable = [
        await openEndpoint('held', { deletedAt: new Date() }),
        await openEndpoint('pending', { deletedAt: new Date() }),
      ];
      expect(await cancelDeliveriesOfDeletedEndpoints(database)).toBeGreaterThanOrEqual(2);
      for (const { find } of undeliverable)
        expect(await find()).toMatchObject({
          state: 'cancelled',
          nextAttemptAt: null,
          finishedAt: expect.any(Date),
        });
      expect(await active.find()).toMatchObject({ state: 'pending' });
      expect(await cancelDeliveriesOfDeletedEndpoints(database)).toBe(0);
    });

    it('A delivery stays held until the endpoint is neither disabled nor paused', async () => {
      for (const ends of [
        [enableEndpoint, resumeEndpoint],
        [resumeEndpoint, enableEndpoint],
      ]) {
        const { id, find } = await openEndpoint('pending', { disabledAt: new Date() });
        expect(await pauseEndpoint(database, merchantId, id)).toBe(true);
        expect(await ends[0]?.(database, merchantId, id)).toBe(true);
        expect(await find()).toMatchObject({ state: 'held', nextAttemptAt: null });
        expect(await ends[1]?.(database, merchantId, id)).toBe(true);
        expect(await find()).toMatchObject({ state: 'pending', scheduleStep: 0 });
      }
    });

    it('A held delivery whose request was in flight is delivered when that succeeds, and stays held when it fails', async () => {
      for (const state of ['delivered', 'pending'] as const) {
        const { id, find, delivery } = await openEndpoint('pending');
        await pauseEndpoint(database, merchantId, id);
        const failed = state === 'pending';
        await recordAttempts(database, [
          buildAttempt({
            deliveryId: delivery,
            merchantId,
            status: failed ? 500 : 204,
            state,
            retryInSeconds: failed ? 5 : null,
          }),
        ]);
        expect(await find()).toMatchObject({
          state: failed ? 'held' : 'delivered',
          attemptsMade: 1,
          nextAttemptAt: null,
          finishedAt: failed ? null : expect.any(Date),
        });
      }
    });
  });

  describe('changing an endpoint', () => {
    it('Each change succeeds after a deadlock with attempts that are being recorded', async () => {
      const gone = async (_database: Database, _merchantId: string, endpointId: string) => {
        const { url, failuresInARow } = await database.endpoint.findFirstOrThrow({
          where: { id: endpointId },
        });
        const health = { ...initialHealth, failuresInARow: 1, firstSuccessAt: null };
        const seen = { url, failuresInARow };
        const update = { merchantId, endpointId, seen, health, backoffSeconds: null };
        await recordEndpointTransition(database, update, {
          disabledReason: { code: 'receiver_gone', parameters: {} },
          notices: [],
        });
        return true;
      };
      const changes = [
        { change: gone, before: {} },
        { change: pauseEndpoint, before: {} },
        { change: deleteEndpoint, before: {} },
        { change: resumeEndpoint, before: { pausedAt: new Date() } },
        { change: enableEndpoint, before: { disabledAt: new Date() } },
      ];
      for (const { change, before } of changes) {
        const held = Object.keys(before).length > 0;
        const { id, delivery } = await openEndpoint(held ? 'held' : 'pending', before);
        const [first, last] = [delivery, crypto.randomUUID()];
        await database.$executeRaw`
        INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id, state, next_attempt_at)
        SELECT ${last}::uuid, merchant_id, 'evt_last', event_created_at, endpoint_id, state, next_attempt_at + interval '1 s'
        FROM deliveries WHERE id = ${first}::uuid`;
        const changed = meetInDeadlock(database, [lockDelivery(first), lockDelivery(last)], () =>
          change(database, merchantId, id),
        );
        expect(await changed).toBe(true);
      }
    });
  });
});

describe('the health of an endpoint', () => {
  const merchantId = 'mer_1';
  const oldUrl = 'https://old.example/';
  const failing = {
    failuresInARow: 9,
    failingSince: new Date('2026-11-10T00:00:00Z'),
    lastFailedAt: new Date('2026-11-20T00:00:00Z'),
    breakerOpenedAt: new Date('2026-11-20T00:00:00Z'),
  };
  const limits = { perMerchant: 20, perHost: 20, newPerUrl: 20 };
  useDatabase(4);
  beforeAll(() => insertTestMerchants(merchantId));

  /** Inserts an endpoint, and prepares what a dispatch that fails once more would store. */
  async function beginDispatch(fields: Partial<EndpointHealth> = {}) {
    const id = `whk_${crypto.randomUUID()}`;
    await database.endpoint.create({ data: { id, merchantId, url: oldUrl, eventTypes: [], ...fields } });
    const [endpoint] = await findSendableEndpoints(database, [{ merchantId, endpointId: id }]);
    if (!endpoint) throw new Error('the endpoint is not sendable');
    const { url, health } = endpoint;
    const update: EndpointHealthUpdate = {
      merchantId,
      endpointId: id,
      seen: { url, failuresInARow: health.failuresInARow },
      health: { ...health, ...failing, failuresInARow: health.failuresInARow + 1, probesFailed: 1 },
      backoffSeconds: 600,
    };
    const find = () => database.endpoint.findFirstOrThrow({ where: { id } });
    const disable = () =>
      recordEndpointTransition(database, update, {
        disabledReason: { code: 'receiver_gone', parameters: {} },
        notices: [
          {
            type: 'endpoint.disabled',
            endpointId: id,
            data: {
              endpoint: { id, url },
              failing_since: failing.failingSince.toISOString(),
              failures_in_a_row: 10,
              disabled_at: new Date().toISOString(),
              reason: 'The receiver answered 410 Gone.',
            },
          },
        ],
      });
    return { id, update, find, disable };
  }

  const nothing = { notified: [], endpointIds: [] };

  it('A dispatch stores the health of the endpoint that it has read', async () => {
    const { id, update, find } = await beginDispatch(failing);
    await database.endpoint.updateMany({
      where: { id },
      data: { eventTypes: ['reward.issue'], retryHours: 3 },
    });
    await updateEndpointHealth(database, [update]);
    expect(await find()).toMatchObject({ failuresInARow: 10, probesFailed: 1, sendAfter: expect.any(Date) });
  });

  it('A dispatch to a former URL neither changes the health, nor disables the endpoint, nor notifies', async () => {
    for (const before of [failing, {}]) {
      const { id, update, find, disable } = await beginDispatch(before);
      await updateEndpoint(database, merchantId, id, { url: `https://new.example/${id}` }, { limits });
      await updateEndpointHealth(database, [update]);
      expect(await find()).toMatchObject(initialHealth);
      expect(await disable()).toEqual(nothing);
      expect(await find()).toMatchObject({ ...initialHealth, disabledAt: null });
    }
  });

  it('A dispatch from before a pause does not change the health that the end of the pause has reset', async () => {
    const { id, update, find } = await beginDispatch(failing);
    await pauseEndpoint(database, merchantId, id);
    await resumeEndpoint(database, merchantId, id);
    await updateEndpointHealth(database, [update]);
    expect(await find()).toMatchObject(initialHealth);
  });

  it('No notice is sent about an endpoint that was deleted', async () => {
    const { id, disable } = await beginDispatch(failing);
    await deleteEndpoint(database, merchantId, id);
    expect(await disable()).toEqual(nothing);
    expect(await database.notice.count({ where: { endpointId: id } })).toBe(0);
  });
});

describe('A parked endpoint', () => {
  const key = { merchantId: 'mer_1', endpointId: 'whk_1' };
  useDatabase(2);
  beforeAll(() => insertTestMerchants(key.merchantId));

  it('is listed with its error and sent nothing, and its deliveries are due again after a retry', async () => {
    const url = 'https://shop.example/hook';
    await database.endpoint.create({
      data: { id: key.endpointId, merchantId: key.merchantId, url, eventTypes: [] },
    });
    await database.delivery.create({
      data: {
        id: crypto.randomUUID(),
        merchantId: key.merchantId,
        eventId: 'evt_1',
        eventCreatedAt: new Date(),
        endpointId: key.endpointId,
        nextAttemptAt: new Date(Date.now() - 90_000),
      },
    });
    expect(await readWaitingWork(database)).toMatchObject({ deliveriesDue: 1, endpointsOverdue: 1 });

    await parkEndpoint(database, key, 'a stored secret does not open');
    expect(await listParkedEndpoints(database)).toEqual([
      { ...key, since: expect.stringMatching(/Z$/), error: 'a stored secret does not open' },
    ]);
    expect(await findSendableEndpoints(database, [key])).toEqual([undefined]);
    expect(await listDueEndpoints(database)).toEqual([]);
    expect(await readWaitingWork(database)).toMatchObject({ deliveriesDue: 0, endpointsParked: 1 });

    expect(await unparkEndpoints(database, 'mer_2')).toEqual([]);
    expect(await unparkEndpoints(database, undefined)).toEqual([key]);
    expect(await listDueEndpoints(database)).toEqual([key]);
    const waiting = await readWaitingWork(database);
    expect(waiting).toMatchObject({ deliveriesDue: 1, endpointsParked: 0 });
    expect(waiting.deliveriesDueSeconds).toBeGreaterThan(80);
  });
});

describe('Test events', () => {
  const merchantId = 'mer_1';
  const endpointId = 'whk_1';
  const url = 'https://shop.example/';
  const answer = {
    status: 500,
    errorClass: null,
    errorMessage: null,
    timings: {},
    responseBody: null,
    warning: null,
    retriedOnNewConnection: false,
    ignored: false,
    requestHeaders: {},
    responseHeaders: null,
  };
  useDatabase(4);
  beforeAll(async () => {
    await insertTestMerchants(merchantId);
    await database.endpoint.create({ data: { id: endpointId, merchantId, url, eventTypes: [] } });
  });

  it('A test event that is retried before its response has arrived keeps both attempts', async () => {
    const store = openTestEventStore(database, openSealer(Buffer.alloc(32).toString('base64')), {
      merchantId,
      endpointId,
      type: 'webhook.ping',
      secondsBetween: 0,
    });
    const event = await store.prepare();
    if (!event) throw new Error('the endpoint does not exist');
    const { deliveryId } = event;
    expect(await retryDelivery(database, merchantId, deliveryId)).toEqual({ at: expect.any(Date) });
    const [claimed] = await claimDeliveries(database, [{ merchantId, endpointId, url, limit: 1 }], 30);
    const taken = claimed?.deliveries[0];
    if (!taken) throw new Error('nothing is due');
    const { leaseExpiresAt } = taken;
    const attempt = { deliveryId, merchantId, leaseExpiresAt, startedAt: new Date().toISOString(), url };
    const retry = { advancesSchedule: true, state: 'pending', retryInSeconds: 5 } as const;
    await recordAttempts(database, [{ ...attempt, ...answer, ...retry }]);
    await store.record(event, { ...answer, startedAt: new Date(), delivered: false });
    const find = () => database.delivery.findFirstOrThrow({ where: { id: deliveryId } });
    expect(await find()).toMatchObject({
      state: 'pending',
      attemptsMade: 2,
      scheduleStep: 1,
      finishedAt: null,
    });
    await store.record(event, { ...answer, startedAt: new Date(), status: 204, delivered: true });
    expect(await find()).toMatchObject({ state: 'delivered', attemptsMade: 3, nextAttemptAt: null });
    const attempts = await database.attempt.findMany({ where: { deliveryId }, orderBy: { number: 'asc' } });
    expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3]);
  });
});

describe('insertNotice', () => {
  const data: EndpointNoticeData = {
    endpoint: { id: 'whk_failing', url: 'https://shop.example/hooks' },
    failing_since: '2026-11-21T01:00:00.000Z',
    failures_in_a_row: 12,
    disabled_at: '2026-11-26T01:00:00.000Z',
    reason: 'It answered 503.',
  };
  const type = 'endpoint.failing';

  let server: TestDatabase;
  let opened: Database;
  beforeAll(async () => {
    server = await createTestDatabase();
    opened = openDatabase({ url: server.url, poolSize: 2, applicationName: 'notices test' });
    await opened.merchant.createMany({
      data: ['mer_a', 'mer_b'].map((id) => ({ id, name: id, identitySecret: 'sealed' })),
    });
  });
  afterEach(async () => {
    await opened.$executeRaw`TRUNCATE notices, deliveries, events, endpoints`;
  });
  afterAll(async () => {
    await opened.$disconnect();
    await server.drop();
  });

  const addEndpoint = (id: string, more: object = {}) =>
    opened.endpoint.create({
      data: { id, merchantId: 'mer_a', url: 'https://shop.example/', eventTypes: [type], ...more },
    });
  const notify = () =>
    transact(opened, (tx) => insertNotice(tx, 'mer_a', { type, endpointId: 'whk_failing', data }));
  const deliveryStates = async () =>
    Object.fromEntries(
      (await opened.delivery.findMany()).map(({ endpointId, state }) => [endpointId, state]),
    );

  it('A notice is delivered to the other endpoints that registered its type, and held for paused and disabled ones', async () => {
    await addEndpoint('whk_failing');
    await addEndpoint('whk_active', { eventTypes: ['reward.issue', type] });
    await addEndpoint('whk_paused', { pausedAt: new Date() });
    await addEndpoint('whk_disabled', { disabledAt: new Date() });
    await addEndpoint('whk_deleted', { deletedAt: new Date() });
    await addEndpoint('whk_rewards', { eventTypes: ['reward.issue', 'endpoint.disabled'] });
    expect(await notify()).toEqual(['whk_active']);
    expect(await deliveryStates()).toEqual({
      whk_active: 'pending',
      whk_paused: 'held',
      whk_disabled: 'held',
    });
  });

  it('A notice is never delivered to another merchant', async () => {
    await addEndpoint('whk_failing');
    await addEndpoint('whk_stranger', { merchantId: 'mer_b' });
    expect(await notify()).toEqual([]);
    expect(await deliveryStates()).toEqual({});
    expect(await opened.event.count({ where: { merchantId: 'mer_b' } })).toBe(0);
    expect(await opened.notice.count({ where: { merchantId: 'mer_b' } })).toBe(0);
  });

  it('A notice is one event, sent for three days, and one row to be mailed', async () => {
    await addEndpoint('whk_failing');
    await notify();
    const [event, ...moreEvents] = await opened.event.findMany();
    expect(moreEvents).toEqual([]);
    expect(event).toMatchObject({ merchantId: 'mer_a', type, rewardId: null });
    expect(JSON.parse(event?.body ?? '')).toEqual({
      id: event?.id,
      type,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      data,
    });
    expect(Number(event?.expiresAt) - Number(event?.createdAt)).toBe(3 * 86_400_000);
    expect(await opened.notice.findMany()).toEqual([
      expect.objectContaining({ merchantId: 'mer_a', endpointId: 'whk_failing', type, data, mailedAt: null }),
    ]);
  });

  it('A notice is rolled back with its transaction', async () => {
    await addEndpoint('whk_failing');
    await addEndpoint('whk_active');
    const failed = transact(opened, async (tx) => {
      await insertNotice(tx, 'mer_a', { type, endpointId: 'whk_failing', data });
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await opened.event.count()).toBe(0);
    expect(await opened.notice.count()).toBe(0);
    expect(await deliveryStates()).toEqual({});
  });
});
