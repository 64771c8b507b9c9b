import {
  buildFilter,
  day,
  insertDeliveries,
  insertTestEndpoint,
  listStates,
  newName,
} from '../fixtures/replayed-deliveries.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { previewReplay } from './preview-replay.ts';

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
});
