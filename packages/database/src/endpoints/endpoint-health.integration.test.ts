import { pauseEndpoint, resumeEndpoint } from './endpoint-control.ts';
import { initialHealth, updateEndpointHealth } from './endpoint-health.ts';
import { recordEndpointTransition } from './endpoint-transitions.ts';
import type { EndpointHealthUpdate, EndpointHealth } from './endpoint-health.ts';
import { deleteEndpoint, updateEndpoint } from './endpoints.ts';
import { findSendableEndpoints } from './sendable-endpoints.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { insertTestMerchants } from '../fixtures/test-merchants.ts';

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

describe('the health of an endpoint', () => {
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
