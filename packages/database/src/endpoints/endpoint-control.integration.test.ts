import { initialHealth } from './endpoint-health.ts';
import type { Database } from '../client/client.ts';
import { recordAttempts } from '../deliveries/record-attempts.ts';
import { enableEndpoint, pauseEndpoint, resumeEndpoint } from './endpoint-control.ts';
import { cancelDeliveriesOfDeletedEndpoints, releaseHeldDeliveries } from './held-deliveries.ts';
import { recordEndpointTransition } from './endpoint-transitions.ts';
import { deleteEndpoint } from './endpoints.ts';
import { buildAttempt } from '../fixtures/build-attempt.ts';
import { meetInDeadlock } from '../fixtures/meet-in-deadlock.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { insertTestMerchants } from '../fixtures/test-merchants.ts';

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
      const changed = meetInDeadlock(database, [first, last], () => change(database, merchantId, id));
      expect(await changed).toBe(true);
    }
  });
});
