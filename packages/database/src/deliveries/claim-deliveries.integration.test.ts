import { updateEndpoint } from '../endpoints/endpoints.ts';
import { claimDeliveries, releaseDeliveries } from './claim-deliveries.ts';
import { recordAttempts } from './record-attempts.ts';
import { retryDelivery } from './retry-delivery.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';
import type { AttemptRecord } from './record-attempts.ts';
import { pauseEndpoint, resumeEndpoint } from '../endpoints/endpoint-control.ts';
import { buildAttempt } from '../fixtures/build-attempt.ts';
import { lockDelivery, meetInDeadlock } from '../fixtures/meet-in-deadlock.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { insertTestMerchants } from '../fixtures/test-merchants.ts';

const merchantId = 'mer_1';
const leaseSeconds = 30;
useDatabase(4);
beforeAll(() => insertTestMerchants(merchantId));

/** Inserts an endpoint with one delivery that is due, at the last step of its schedule. */
async function openDelivery() {
  const endpointId = `whk_${crypto.randomUUID()}`;
  const eventId = `evt_${endpointId}`;
  const id = crypto.randomUUID();
  const url = 'https://shop.example/';
  await database.endpoint.create({ data: { id: endpointId, merchantId, url, eventTypes: [] } });
  const createdAt = new Date();
  const event = { merchantId, id: eventId, type: 'reward.issue', body: '{}', createdAt };
  await database.event.create({ data: event });
  const delivery = { id, merchantId, eventId, eventCreatedAt: createdAt, endpointId, scheduleStep: 10 };
  await database.delivery.create({ data: delivery });
  const claim = async (seconds = leaseSeconds): Promise<ClaimedDelivery | undefined> => {
    const [claimed] = await claimDeliveries(database, [{ merchantId, endpointId, url, limit: 1 }], seconds);
    return claimed?.deliveries[0];
  };
  const requireClaim = async (seconds?: number): Promise<ClaimedDelivery> => {
    const claimed = await claim(seconds);
    if (!claimed) throw new Error('nothing is due');
    return claimed;
  };
  return {
    id,
    endpointId,
    claim,
    requireClaim,
    find: () => database.delivery.findFirstOrThrow({ where: { id } }),
  };
}

const failed = { state: 'exhausted', retryInSeconds: null } as const;
const failedEarly = { state: 'pending', retryInSeconds: 7_200 } as const;
const delivered = { state: 'delivered', retryInSeconds: null } as const;

type Outcome = Pick<AttemptRecord, 'state' | 'retryInSeconds'>;

const recordOf = ({ id, leaseExpiresAt }: ClaimedDelivery, outcome: Outcome): AttemptRecord =>
  buildAttempt({
    deliveryId: id,
    merchantId,
    leaseExpiresAt,
    status: outcome.state === 'delivered' ? 204 : 500,
    ...outcome,
  });
const record = (claimed: ClaimedDelivery, outcome: Outcome) =>
  recordAttempts(database, [recordOf(claimed, outcome)]);

describe('recordAttempts', () => {
  it('A failed attempt does not undo a manual retry that was requested while it was in flight', async () => {
    for (const outcome of [failed, failedEarly]) {
      const { id, find, claim, requireClaim } = await openDelivery();
      const first = await requireClaim();
      expect(await retryDelivery(database, merchantId, id)).toEqual({ at: expect.any(Date) });
      await record(first, outcome);
      expect(await find()).toMatchObject({ state: 'pending', scheduleStep: 0, attemptsMade: 1 });
      expect(await claim()).toMatchObject({ id, scheduleStep: 0, attemptsMade: 1 });
    }
  });

  it('A failed attempt does not postpone a delivery that the end of a pause made due', async () => {
    const { id, endpointId, find, claim, requireClaim } = await openDelivery();
    const first = await requireClaim();
    await pauseEndpoint(database, merchantId, endpointId);
    await resumeEndpoint(database, merchantId, endpointId);
    await record(first, failed);
    expect(await find()).toMatchObject({ state: 'pending', scheduleStep: 0, finishedAt: null });
    expect(await claim()).toMatchObject({ id, scheduleStep: 0 });
  });

  it('A failed attempt whose lease has expired leaves the delivery to the worker that claimed it since', async () => {
    const { find, claim, requireClaim } = await openDelivery();
    const first = await requireClaim(0);
    const second = await requireClaim();
    await record(first, failed);
    expect(await find()).toMatchObject({ state: 'pending', attemptsMade: 1, scheduleStep: 10 });
    expect(await claim()).toBeUndefined();
    await record(second, delivered);
    expect(await find()).toMatchObject({ state: 'delivered', attemptsMade: 2, nextAttemptAt: null });
  });

  it('A failed attempt whose lease has expired still counts when no other worker has claimed the delivery', async () => {
    const { find, requireClaim } = await openDelivery();
    await record(await requireClaim(0), failed);
    expect(await find()).toMatchObject({
      state: 'exhausted',
      finishedAt: expect.any(Date),
      scheduleStep: 11,
    });
  });
});

it('A successful attempt counts even when another worker has claimed the delivery since', async () => {
  const { id, find, requireClaim } = await openDelivery();
  const first = await requireClaim();
  await retryDelivery(database, merchantId, id);
  await record(first, delivered);
  expect(await find()).toMatchObject({ state: 'delivered', nextAttemptAt: null });
});

it('Releasing a delivery has no effect once another worker has claimed it', async () => {
  const { find, requireClaim } = await openDelivery();
  const first = await requireClaim(0);
  const second = await requireClaim();
  await releaseDeliveries(database, [first]);
  expect(Number((await find()).leasedUntil)).toBeGreaterThan(Date.now());
  await releaseDeliveries(database, [second]);
  expect(await find()).toMatchObject({ leasedUntil: null });
});

it('Recording attempts and releasing deliveries succeed after a deadlock with a pause', async () => {
  for (const store of [
    (claimed: ClaimedDelivery[]) =>
      recordAttempts(
        database,
        claimed.map((one) => recordOf(one, delivered)),
      ),
    (claimed: ClaimedDelivery[]) => releaseDeliveries(database, claimed),
  ])
    for (const turned of [false, true]) {
      const [one, other] = [await openDelivery(), await openDelivery()];
      const claimed = [await one.requireClaim(), await other.requireClaim()];
      const ids: [string, string] = turned ? [other.id, one.id] : [one.id, other.id];
      await meetInDeadlock(database, [lockDelivery(ids[0]), lockDelivery(ids[1])], () => store(claimed));
    }
});

it('Nothing is claimed for a former URL of an endpoint, nor while the endpoint is paused', async () => {
  const { endpointId, claim } = await openDelivery();
  await pauseEndpoint(database, merchantId, endpointId);
  // What an evaluation that read the endpoint before has made due since.
  await database.delivery.updateMany({
    where: { endpointId },
    data: { state: 'pending', nextAttemptAt: new Date(0) },
  });
  expect(await claim()).toBeUndefined();
  await resumeEndpoint(database, merchantId, endpointId);
  const limits = { perMerchant: 20, perHost: 5, newPerUrl: 20 };
  await updateEndpoint(database, merchantId, endpointId, { url: 'https://new.example/' }, { limits });
  expect(await claim()).toBeUndefined();
  const there = { merchantId, endpointId, url: 'https://new.example/', limit: 1 };
  expect(await claimDeliveries(database, [there], leaseSeconds)).toMatchObject([
    { deliveries: [{ scheduleStep: 10 }] },
  ]);
});

it('A manual retry is refused while the endpoint is paused, and accepted once it is resumed', async () => {
  const { id, endpointId, find } = await openDelivery();
  await pauseEndpoint(database, merchantId, endpointId);
  expect(await retryDelivery(database, merchantId, id)).toBeUndefined();
  expect(await find()).toMatchObject({ state: 'held' });
  await resumeEndpoint(database, merchantId, endpointId);
  expect(await retryDelivery(database, merchantId, id)).toEqual({ at: expect.any(Date) });
});

it('Two attempts of a delivery that are recorded together are both stored, and the success decides', async () => {
  const { id, requireClaim, find } = await openDelivery();
  const claimed = await requireClaim();
  const first = recordOf(claimed, failedEarly);
  const second = { ...recordOf(claimed, delivered), startedAt: new Date(Date.now() + 1_000).toISOString() };
  await recordAttempts(database, [first, second]);
  expect(await find()).toMatchObject({ state: 'delivered', attemptsMade: 2 });
  expect(await database.attempt.count({ where: { deliveryId: id } })).toBe(2);
});
