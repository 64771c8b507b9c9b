import {
  buildFilter,
  day,
  insertDeliveries,
  insertTestEndpoint,
  listStates,
  newName,
} from '../fixtures/replayed-deliveries.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { previewReplay, previewReplayWithin } from './preview-replay.ts';

useDatabase(2);

describe('previewReplay', () => {
  it('A preview counts by endpoint and state, gives the reasons for skipped deliveries, and changes nothing', async () => {
    const merchantId = newName('mer');
    const [live, gone] = [
      await insertTestEndpoint(merchantId),
      await insertTestEndpoint(merchantId, { deletedAt: new Date() }),
    ];
    await insertDeliveries(merchantId, live, 'delivered', { count: 2 });
    await insertDeliveries(merchantId, live, 'exhausted', { count: 3 });
    await insertDeliveries(merchantId, live, 'pending', { count: 4 });
    await insertDeliveries(merchantId, live, 'exhausted', { type: 'webhook.ping' });
    await insertDeliveries(merchantId, live, 'delivered', { event: { erasedAt: new Date() } });
    await insertDeliveries(merchantId, live, 'exhausted', { event: { expiresAt: new Date(0) } });
    await insertDeliveries(merchantId, live, 'delivered', {
      fields: { createdAt: new Date(Date.now() - 11 * day) },
    });
    await insertDeliveries(merchantId, gone, 'cancelled', { count: 2 });
    const other = newName('mer');
    await insertDeliveries(other, await insertTestEndpoint(other), 'delivered');
    const before = await listStates(merchantId);
    expect(await previewReplay(database, merchantId, buildFilter())).toEqual({
      total: 5,
      counts: [
        { endpointId: live, state: 'delivered', count: 2 },
        { endpointId: live, state: 'exhausted', count: 3 },
      ],
      skipped: [
        { endpointId: live, reason: 'event_erased', count: 1 },
        { endpointId: live, reason: 'event_expired', count: 1 },
        { endpointId: gone, reason: 'endpoint_deleted', count: 2 },
      ],
    });
    expect(await previewReplay(database, merchantId, buildFilter({ newIds: true }))).toMatchObject({
      total: 6,
    });
    expect(await previewReplay(database, merchantId, buildFilter({ endpointId: gone }))).toMatchObject({
      total: 0,
    });
    expect(await previewReplay(database, merchantId, buildFilter({ states: ['exhausted'] }))).toMatchObject({
      total: 3,
    });
    expect(await listStates(merchantId)).toEqual(before);
  });

  it('A preview whose time is over counts the oldest deliveries and is not complete; one that has time counts all', async () => {
    const merchantId = newName('mer');
    const endpointId = await insertTestEndpoint(merchantId);
    await database.query(
      `WITH made AS (
         SELECT $1 || number AS id, now() - interval '1 hour' AS at FROM generate_series(1, 1100) AS number
       ), stored AS (
         INSERT INTO events (merchant_id, id, type, body, created_at)
         SELECT $1, id, 'reward.issue', '{}', at FROM made
       )
       INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id, state, created_at)
       SELECT gen_random_uuid(), $1, id, at, $2, 'exhausted', at FROM made`,
      [merchantId, endpointId],
    );
    expect(await previewReplayWithin(database, merchantId, buildFilter(), 0)).toMatchObject({
      total: 1_000,
      complete: false,
    });
    expect(await previewReplayWithin(database, merchantId, buildFilter(), 60_000)).toMatchObject({
      total: 1_100,
      complete: true,
    });
  });
});
