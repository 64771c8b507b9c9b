import { openDatabase } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { probeDatabase } from '@rewardhook/database/operations';
import type { AttemptRecord } from '@rewardhook/database/stages';
import { createTestDatabase } from '@rewardhook/testing/servers';
import type { TestDatabase } from '@rewardhook/testing/servers';
import { startTcpProxy, waitFor } from '@rewardhook/testing';
import type { TcpProxy } from '@rewardhook/testing';
import { buildAttempt } from '../../../packages/database/src/fixtures/build-attempt.ts';
import { openDeliveryStore } from './delivery-store.ts';

describe('An attempt', () => {
  const merchantId = 'mer_1';

  let test: TestDatabase;
  let proxy: TcpProxy;
  let database: Database;
  let recorded: AttemptRecord[];
  let outages: unknown[];
  beforeAll(async () => {
    test = await createTestDatabase();
    proxy = await startTcpProxy(test.url);
    database = openDatabase({ url: proxy.url, poolSize: 2, applicationName: 'delivery store test' });
  });
  beforeEach(() => {
    proxy.set('open');
    recorded = [];
    outages = [];
  });
  afterAll(async () => {
    await database.$disconnect();
    await proxy.close();
    await test.drop();
  });

  const open = (shutdown = new AbortController().signal) =>
    openDeliveryStore(database, {
      newEndpointSeconds: 0,
      onRecorded: (attempt) => recorded.push(attempt),
      onOutage: (error) => outages.push(error),
      shutdown,
    });

  async function makeAttempt(changes: Partial<AttemptRecord> = {}): Promise<AttemptRecord> {
    const id = crypto.randomUUID();
    const event = { eventId: `evt_${id}`, eventCreatedAt: new Date() };
    await database.delivery.create({ data: { id, merchantId, ...event, endpointId: 'whk_1' } });
    return {
      deliveryId: id,
      merchantId,
      leaseExpiresAt: new Date().toISOString(),
      startedAt: new Date().toISOString(),
      url: 'https://shop.example/',
      status: 200,
      errorClass: null,
      errorMessage: null,
      timings: { totalMs: 1 },
      responseBody: '',
      warning: null,
      retriedOnNewConnection: false,
      ignored: false,
      requestHeaders: null,
      responseHeaders: null,
      advancesSchedule: true,
      state: 'delivered',
      retryInSeconds: null,
      ...changes,
    };
  }
  const find = (id: string) => database.delivery.findFirstOrThrow({ where: { id } });

  it('made while PostgreSQL is unavailable is recorded when it is available again', async () => {
    const attempt = await makeAttempt();
    proxy.set('cut');
    const stored = expect(open().record(attempt)).resolves.not.toThrow();
    await waitFor(() => outages.length > 0, { what: 'the outage' });
    expect(recorded).toEqual([]);
    proxy.set('open');
    await stored;
    expect(recorded).toEqual([attempt]);
    expect(outages).toHaveLength(1);
    expect(await find(attempt.deliveryId)).toMatchObject({ state: 'delivered', attemptsMade: 1 });
    expect(await database.attempt.count({ where: { deliveryId: attempt.deliveryId } })).toBe(1);
  });

  it('is recorded once when PostgreSQL commits it and the reply is lost', async () => {
    const [one, other] = [
      await makeAttempt(),
      await makeAttempt({ state: 'pending', status: 500, retryInSeconds: 60 }),
    ];
    await probeDatabase(database);
    proxy.set('mute');
    const store = open();
    const stored = Promise.all([store.record(one), store.record(other)]);
    await waitFor(() => outages.length > 0, { what: 'the lost reply' });
    proxy.set('open');
    await stored;
    for (const { deliveryId } of [one, other]) {
      expect(await find(deliveryId)).toMatchObject({ attemptsMade: 1 });
      expect(await database.attempt.count({ where: { deliveryId } })).toBe(1);
    }
    expect(await find(one.deliveryId)).toMatchObject({ state: 'delivered' });
  });

  it('that PostgreSQL rejects for its content is not retried', async () => {
    const attempt = await makeAttempt({ startedAt: 'no time' });
    await expect(open().record(attempt)).rejects.toThrow(/no time/);
  });

  it('does not delay the shutdown of the process', async () => {
    const attempt = await makeAttempt();
    const shutdown = new AbortController();
    proxy.set('cut');
    const stored = expect(open(shutdown.signal).record(attempt)).rejects.toThrow();
    await waitFor(() => outages.length > 0, { what: 'the outage' });
    shutdown.abort();
    await stored;
  });
});

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

describe('The deliveries of two merchants', () => {
  const merchants = ['mer_1', 'mer_2'];

  /** Sends the due deliveries of four endpoints at once: one of each is delivered, the other is given back. Returns the rows. */
  async function deliver(oneMerchant: boolean) {
    const test = await createTestDatabase();
    const database = openDatabase({ url: test.url, poolSize: 4, applicationName: 'shared statements test' });
    await database.merchant.createMany({
      data: merchants.map((id) => ({ id, name: 'Shop', identitySecret: '' })),
    });
    const endpoints = merchants.flatMap((merchantId) =>
      ['a', 'b'].map((name) => ({ merchantId, endpointId: `whk_${merchantId}_${name}` })),
    );
    for (const { merchantId, endpointId } of endpoints) {
      await database.endpoint.create({
        data: { merchantId, id: endpointId, url: 'https://shop.example/', eventTypes: [] },
      });
      for (const number of [1, 2]) {
        const eventId = `evt_${endpointId}_${number}`;
        const eventCreatedAt = new Date();
        await database.event.create({
          data: { merchantId, id: eventId, type: 'reward.issue', body: eventId, createdAt: eventCreatedAt },
        });
        await database.delivery.create({
          data: { id: crypto.randomUUID(), merchantId, eventId, eventCreatedAt, endpointId },
        });
      }
    }
    const store = openDeliveryStore(database, {
      newEndpointSeconds: 0,
      oneMerchant,
      onRecorded: () => undefined,
      onOutage: () => undefined,
      shutdown: new AbortController().signal,
    });
    const dispatch = async (key: (typeof endpoints)[number]) => {
      const endpoint = await store.findEndpoint(key);
      if (!endpoint) throw new Error(`nothing can be sent to ${key.endpointId}`);
      const { deliveries } = await store.claimDue({ ...key, url: endpoint.url, limit: 10 });
      const [sent, ...others] = deliveries.toSorted((one, other) => (one.body < other.body ? -1 : 1));
      if (!sent) throw new Error('no delivery was claimed');
      await Promise.all([
        store.record(
          buildAttempt({
            deliveryId: sent.id,
            merchantId: sent.merchantId,
            leaseExpiresAt: sent.leaseExpiresAt,
            url: endpoint.url,
          }),
        ),
        store.release(others),
        store.updateHealth({
          ...key,
          seen: { url: endpoint.url, failuresInARow: 0 },
          health: { ...endpoint.health, inFlightLimit: key.endpointId.endsWith('a') ? 5 : 6 },
          backoffSeconds: null,
        }),
      ]);
      return deliveries.map(({ body }) => body).sort();
    };
    const bodies = await Promise.all(endpoints.map(dispatch));
    const rows = await database.delivery.findMany({
      select: {
        merchantId: true,
        eventId: true,
        state: true,
        attemptsMade: true,
        leasedUntil: true,
        attempts: { select: { merchantId: true, endpointId: true, number: true } },
      },
      orderBy: { eventId: 'asc' },
    });
    const limits = await database.endpoint.findMany({
      select: { id: true, inFlightLimit: true },
      orderBy: { id: 'asc' },
    });
    await database.$disconnect();
    await test.drop();
    return { bodies, rows, limits };
  }

  it('end in the same rows with statements that merchants share and with statements of one merchant', async () => {
    const shared = await deliver(false);
    expect(await deliver(true)).toEqual(shared);
    expect(shared.bodies[0]).toEqual(['evt_whk_mer_1_a_1', 'evt_whk_mer_1_a_2']);
    expect(shared.rows.map(({ state }) => state)).toEqual(
      merchants.flatMap(() => ['delivered', 'pending', 'delivered', 'pending']),
    );
    expect(shared.rows.every(({ leasedUntil }) => leasedUntil === null)).toBe(true);
    expect(shared.limits.map(({ inFlightLimit }) => inFlightLimit)).toEqual([5, 6, 5, 6]);
  });
});
