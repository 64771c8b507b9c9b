import { updateEndpoint } from '../console/endpoints.ts';
import { pauseEndpoint, resumeEndpoint } from './endpoint-control.ts';
import { recordEndpointTransition, updateEndpointHealth } from './endpoint-health.ts';
import type { EndpointHealthUpdate, EndpointHealth } from './endpoint-health.ts';
import { initialHealth, deleteEndpoint } from './endpoints.ts';
import { findSendableEndpoints } from './sendable-endpoints.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';

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

/** An endpoint as a turn finds it, and what the turn comes to when it fails once more. */
async function beginTurn(fields: Partial<EndpointHealth> = {}) {
  const id = `whk_${crypto.randomUUID()}`;
  await database.endpoint.create({ data: { id, merchantId, url: oldUrl, eventTypes: [], ...fields } });
  const [endpoint] = await findSendableEndpoints(database, [{ merchantId, endpointId: id }]);
  if (!endpoint) throw new Error('it cannot be sent to');
  const { url, health } = endpoint;
  const finding: EndpointHealthUpdate = {
    merchantId,
    endpointId: id,
    seen: { url, failuresInARow: health.failuresInARow },
    health: { ...health, ...failing, failuresInARow: health.failuresInARow + 1, probesFailed: 1 },
    backoffSeconds: 600,
  };
  const find = () => database.endpoint.findUniqueOrThrow({ where: { id } });
  const disable = () =>
    recordEndpointTransition(database, finding, {
      disabledReason: 'The receiver answered 410 Gone.',
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
  return { id, finding, find, disable };
}

const nobodyTold = { told: [], endpointIds: [] };

describe('what a turn has shown of an endpoint', () => {
  it('is kept as long as the endpoint is the one that the turn saw', async () => {
    const { id, finding, find } = await beginTurn(failing);
    await database.endpoint.update({ where: { id }, data: { eventTypes: ['reward.issue'], retryHours: 3 } });
    await updateEndpointHealth(database, [finding]);
    expect(await find()).toMatchObject({ failuresInARow: 10, probesFailed: 1, sendAfter: expect.any(Date) });
  });

  it('does not soil the clean slate of another URL, nor disable it or tell of it', async () => {
    for (const before of [failing, {}]) {
      const { id, finding, find, disable } = await beginTurn(before);
      await updateEndpoint(database, merchantId, id, { url: `https://new.example/${id}` }, { limits });
      await updateEndpointHealth(database, [finding]);
      expect(await find()).toMatchObject(initialHealth);
      expect(await disable()).toEqual(nobodyTold);
      expect(await find()).toMatchObject({ ...initialHealth, disabledAt: null });
    }
  });

  it('does not soil the clean slate that a pause ends with', async () => {
    const { id, finding, find } = await beginTurn(failing);
    await pauseEndpoint(database, merchantId, id);
    await resumeEndpoint(database, merchantId, id);
    await updateEndpointHealth(database, [finding]);
    expect(await find()).toMatchObject(initialHealth);
  });

  it('is told to nobody once the endpoint is deleted', async () => {
    const { id, disable } = await beginTurn(failing);
    await deleteEndpoint(database, merchantId, id);
    expect(await disable()).toEqual(nobodyTold);
    expect(await database.notice.count({ where: { endpointId: id } })).toBe(0);
  });
});
