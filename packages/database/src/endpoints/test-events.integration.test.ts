import { claimDeliveries } from '../deliveries/claim-deliveries.ts';
import { recordAttempts } from '../deliveries/record-attempts.ts';
import { retryDelivery } from '../deliveries/retry-delivery.ts';
import { openTestEventStore } from './test-events.ts';
import { openSealer } from '../merchants/sealer.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { insertTestMerchants } from '../fixtures/test-merchants.ts';

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
