import { openDatabase } from '@rewardhook/database';
import { createTestDatabase } from '@rewardhook/testing';
import { openDeliveryStore } from './delivery-store.ts';

describe('A statement that many endpoints share', () => {
  it('fails for the endpoint that causes the error only: the others are not parked with it', async () => {
    const test = await createTestDatabase();
    const database = openDatabase({ url: test.url, poolSize: 2, applicationName: 'shared statements test' });
    const store = openDeliveryStore(database, {
      newEndpointSeconds: 0,
      onRecorded: () => undefined,
      onOutage: () => undefined,
      shutdown: new AbortController().signal,
    });
    const claimOf = (endpointId: string) => ({
      merchantId: 'mer_1',
      endpointId,
      url: 'https://shop.example/',
      limit: 1,
    });
    // PostgreSQL refuses a NUL in a text.
    const ids = ['whk_1', 'whk_\0', 'whk_3'];
    const states = ['fulfilled', 'rejected', 'fulfilled'];
    for (const calls of [
      ids.map((id) => store.findEndpoint(claimOf(id))),
      ids.map((id) => store.claimDue(claimOf(id))),
      ids.map((id) => store.claimManualRetries(claimOf(id))),
    ])
      expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(states);
    await database.$disconnect();
    await test.drop();
  });
});
