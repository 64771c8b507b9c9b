import type { EndpointNoticeData } from '@rewardhook/contract';
import { createTestDatabase } from '@rewardhook/testing/servers';
import type { TestDatabase } from '@rewardhook/testing/servers';
import { transact } from '../client/client.ts';
import { openDatabase } from '../client/prisma.ts';
import type { Database } from '../client/client.ts';
import { insertNotice } from './notices.ts';

const data: EndpointNoticeData = {
  endpoint: { id: 'whk_failing', url: 'https://shop.example/hooks' },
  failing_since: '2026-11-21T01:00:00.000Z',
  failures_in_a_row: 12,
  disabled_at: '2026-11-26T01:00:00.000Z',
  reason: 'It answered 503.',
};
const type = 'endpoint.failing';

describe('insertNotice', () => {
  let server: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    server = await createTestDatabase();
    database = openDatabase({ url: server.url, poolSize: 2, applicationName: 'notices test' });
    await database.merchant.createMany({
      data: ['mer_a', 'mer_b'].map((id) => ({ id, name: id, identitySecret: 'sealed' })),
    });
  });
  afterEach(async () => {
    await database.$executeRaw`TRUNCATE notices, deliveries, events, endpoints`;
  });
  afterAll(async () => {
    await database.$disconnect();
    await server.drop();
  });

  const addEndpoint = (id: string, more: object = {}) =>
    database.endpoint.create({
      data: { id, merchantId: 'mer_a', url: 'https://shop.example/', eventTypes: [type], ...more },
    });
  const notify = () =>
    transact(database, (tx) => insertNotice(tx, 'mer_a', { type, endpointId: 'whk_failing', data }));
  const deliveryStates = async () =>
    Object.fromEntries(
      (await database.delivery.findMany()).map(({ endpointId, state }) => [endpointId, state]),
    );

  it('A notice is delivered to the other endpoints that registered its type, and held for paused and disabled ones', async () => {
    await addEndpoint('whk_failing');
    await addEndpoint('whk_active', { eventTypes: ['reward.issue', type] });
    await addEndpoint('whk_paused', { pausedAt: new Date() });
    await addEndpoint('whk_disabled', { disabledAt: new Date() });
    await addEndpoint('whk_deleted', { deletedAt: new Date() });
    await addEndpoint('whk_rewards', { eventTypes: ['reward.issue', 'endpoint.disabled'] });
    expect(await notify()).toEqual(['whk_active']);
    expect(await deliveryStates()).toEqual({
      whk_active: 'pending',
      whk_paused: 'held',
      whk_disabled: 'held',
    });
  });

  it('A notice is never delivered to another merchant', async () => {
    await addEndpoint('whk_failing');
    await addEndpoint('whk_stranger', { merchantId: 'mer_b' });
    expect(await notify()).toEqual([]);
    expect(await deliveryStates()).toEqual({});
    expect(await database.event.count({ where: { merchantId: 'mer_b' } })).toBe(0);
    expect(await database.notice.count({ where: { merchantId: 'mer_b' } })).toBe(0);
  });

  it('A notice is one event, sent for three days, and one row to be mailed', async () => {
    await addEndpoint('whk_failing');
    await notify();
    const [event, ...moreEvents] = await database.event.findMany();
    expect(moreEvents).toEqual([]);
    expect(event).toMatchObject({ merchantId: 'mer_a', type, rewardId: null });
    expect(JSON.parse(event?.body ?? '')).toEqual({
      id: event?.id,
      type,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      data,
    });
    expect(Number(event?.expiresAt) - Number(event?.createdAt)).toBe(3 * 86_400_000);
    expect(await database.notice.findMany()).toEqual([
      expect.objectContaining({ merchantId: 'mer_a', endpointId: 'whk_failing', type, data, mailedAt: null }),
    ]);
  });

  it('A notice is rolled back with its transaction', async () => {
    await addEndpoint('whk_failing');
    await addEndpoint('whk_active');
    const failed = transact(database, async (tx) => {
      await insertNotice(tx, 'mer_a', { type, endpointId: 'whk_failing', data });
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await database.event.count()).toBe(0);
    expect(await database.notice.count()).toBe(0);
    expect(await deliveryStates()).toEqual({});
  });
});
