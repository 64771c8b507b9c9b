import { readWaitingWork } from '../operations/waiting-work.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { listParkedEndpoints, parkEndpoint, unparkEndpoints } from './park-endpoint.ts';
import { findSendableEndpoints, listDueEndpoints } from './sendable-endpoints.ts';
import { insertTestMerchants } from '../fixtures/test-merchants.ts';

const key = { merchantId: 'mer_1', endpointId: 'whk_1' };
useDatabase(2);
beforeAll(() => insertTestMerchants(key.merchantId));

describe('A parked endpoint', () => {
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
