import { createTestDatabase } from '@rewardhook/testing';
import type { TestDatabase } from '@rewardhook/testing';
import { openDatabase } from './client.ts';
import type { Database } from './client.ts';
import { recordAttempts } from './deliveries.ts';
import { cancelOfDeleted, pauseSending, releaseHeld, resumeSending } from './endpoint-control.ts';
import { enableEndpoint } from './endpoints.ts';

const merchantId = 'mer_1';
let test: TestDatabase;
let database: Database;
beforeAll(async () => {
  test = await createTestDatabase();
  database = openDatabase({ url: test.url, poolSize: 4, applicationName: 'test' });
});
afterAll(async () => {
  await database.$disconnect();
  await test.drop();
});

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
      endpointId: id,
      state,
      nextAttemptAt,
      scheduleStep: 4,
    },
  });
  return { id, find: () => database.delivery.findUniqueOrThrow({ where: { id: delivery } }), delivery };
}

describe('what is held', () => {
  it('without a reason any more, by a judgement that came too late, is released', async () => {
    const now = new Date();
    const stray = await openEndpoint('held');
    const rightly = [
      await openEndpoint('held', { pausedAt: now }),
      await openEndpoint('held', { disabledAt: now }),
      await openEndpoint('held', { deletedAt: now }),
    ];
    expect(await releaseHeld(database)).toEqual([{ merchantId, endpointId: stray.id }]);
    expect(await stray.find()).toMatchObject({
      state: 'pending',
      scheduleStep: 0,
      nextAttemptAt: expect.any(Date),
    });
    for (const { find } of rightly)
      expect(await find()).toMatchObject({ state: 'held', nextAttemptAt: null });
    expect(await releaseHeld(database)).toEqual([]);
  });

  it('or made due to an endpoint that was deleted meanwhile is cancelled', async () => {
    const there = await openEndpoint('pending');
    const strays = [
      await openEndpoint('held', { deletedAt: new Date() }),
      await openEndpoint('pending', { deletedAt: new Date() }),
    ];
    expect(await cancelOfDeleted(database)).toBeGreaterThanOrEqual(2);
    for (const { find } of strays)
      expect(await find()).toMatchObject({
        state: 'cancelled',
        nextAttemptAt: null,
        finishedAt: expect.any(Date),
      });
    expect(await there.find()).toMatchObject({ state: 'pending' });
    expect(await cancelOfDeleted(database)).toBe(0);
  });

  it('stays so until the endpoint is neither disabled nor paused, whichever ends last', async () => {
    for (const ends of [
      [enableEndpoint, resumeSending],
      [resumeSending, enableEndpoint],
    ]) {
      const { id, find } = await openEndpoint('pending', { disabledAt: new Date() });
      expect(await pauseSending(database, merchantId, id)).toBe(true);
      expect(await ends[0]?.(database, merchantId, id)).toBe(true);
      expect(await find()).toMatchObject({ state: 'held', nextAttemptAt: null });
      expect(await ends[1]?.(database, merchantId, id)).toBe(true);
      expect(await find()).toMatchObject({ state: 'pending', scheduleStep: 0 });
    }
  });

  it('is delivered when the request in flight arrived meanwhile, and stays held when it did not', async () => {
    for (const state of ['delivered', 'pending'] as const) {
      const { id, find, delivery } = await openEndpoint('pending');
      await pauseSending(database, merchantId, id);
      const failed = state === 'pending';
      await recordAttempts(database, [
        {
          deliveryId: delivery,
          merchantId,
          takenUntil: new Date().toISOString(),
          startedAt: new Date().toISOString(),
          url: 'https://shop.example/',
          status: failed ? 500 : 204,
          errorClass: null,
          errorMessage: null,
          timings: {},
          responseBody: null,
          requestHeaders: {},
          usesRetry: true,
          state,
          retryInSeconds: failed ? 5 : null,
        },
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
