import { openDatabase } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { probeDatabase } from '@rewardhook/database/operations';
import type { AttemptRecord } from '@rewardhook/database/stages';
import { createTestDatabase } from '@rewardhook/testing/servers';
import { startTcpProxy, waitFor } from '@rewardhook/testing';
import type { TestDatabase } from '@rewardhook/testing/servers';
import type { TcpProxy } from '@rewardhook/testing';
import { openDeliveryStore } from './delivery-store.ts';

const merchantId = 'mer_1';

describe('An attempt', () => {
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
