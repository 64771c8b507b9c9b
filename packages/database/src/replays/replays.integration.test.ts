import { openDatabase, transact } from '../client/client.ts';
import type { Database } from '../client/client.ts';
import { waitForLocks } from '../fixtures/wait-for-locks.ts';
import { retryDelivery } from '../deliveries/retry-delivery.ts';
import type { ReplayFilter } from './replay-filter.ts';
import { runReplayBatch } from './replay-portions.ts';
import {
  cancelReplay,
  createReplay,
  findReplay,
  listReplays,
  pauseReplay,
  previewReplay,
  resumeReplay,
} from './replays.ts';
import { database, databaseUrl, useDatabase } from '../fixtures/use-database.ts';

useDatabase(6);
afterEach(() => database.$executeRaw`UPDATE replays SET state = 'cancelled' WHERE state <> 'done'`);

const day = 86_400_000;
const filter = (changes: Partial<ReplayFilter> = {}): ReplayFilter => ({
  endpointId: null,
  states: ['delivered', 'exhausted', 'cancelled', 'held'],
  from: new Date(Date.now() - 10 * day),
  until: new Date(Date.now() + day),
  newIds: false,
  ...changes,
});

let made = 0;
const newName = (kind: string) => `${kind}_${(made += 1)}`;

async function openEndpoint(merchantId: string, fields: object = {}): Promise<string> {
  const id = newName('whk');
  const data = { id, merchantId, url: 'https://shop.example/', eventTypes: ['reward.issue'], ...fields };
  await database.endpoint.create({ data });
  return id;
}

interface Made {
  count?: number;
  type?: string;
  event?: object;
  fields?: object;
}

/** Deliveries of one event each, all made at the same moment an hour ago. Returns their ids as they are ordered. */
async function addDeliveries(
  merchantId: string,
  endpointId: string,
  state: string,
  { count = 1, type = 'reward.issue', event = {}, fields = {} }: Made = {},
): Promise<string[]> {
  const createdAt = new Date(Date.now() - 3_600_000);
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const eventId = newName('evt');
    const nextAttemptAt = state === 'pending' ? createdAt : null;
    await database.event.create({ data: { merchantId, id: eventId, type, body: '{}', createdAt, ...event } });
    const { id } = await database.delivery.create({
      data: {
        id: crypto.randomUUID(),
        merchantId,
        eventId,
        endpointId,
        state,
        createdAt,
        nextAttemptAt,
        scheduleStep: 3,
        attemptsMade: 3,
        ...fields,
      },
    });
    ids.push(id);
  }
  return ids.toSorted();
}

const start = async (merchantId: string, changes: Partial<ReplayFilter> & { perMinute?: number } = {}) => {
  const { perMinute = 60_000, ...rest } = changes;
  return (await createReplay(database, merchantId, { ...filter(rest), perMinute, atOnce: 10 })).replay.id;
};
/** Does a replay to its end, without waiting for its pace. */
async function finish(merchantId: string, id: string): Promise<void> {
  for (let finished = false; !finished;) {
    await database.replay.updateMany({ where: { merchantId, id }, data: { nextAt: new Date(0) } });
    const portion = await runReplayBatch(database);
    expect(portion?.replayId).toBe(id);
    finished = portion?.finished === true;
  }
}
const states = async (merchantId: string) =>
  (
    await database.delivery.findMany({
      where: { merchantId },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    })
  ).map(({ state }) => state);
const find = (merchantId: string, id: string) => findReplay(database, merchantId, id);

describe('a preview', () => {
  it('counts by endpoint and state, says what is left out and why, and changes nothing', async () => {
    const shop = newName('mer');
    const [live, gone] = [await openEndpoint(shop), await openEndpoint(shop, { deletedAt: new Date() })];
    await addDeliveries(shop, live, 'delivered', { count: 2 });
    await addDeliveries(shop, live, 'exhausted', { count: 3 });
    await addDeliveries(shop, live, 'pending', { count: 4 });
    await addDeliveries(shop, live, 'exhausted', { type: 'webhook.ping' });
    await addDeliveries(shop, live, 'delivered', { event: { erasedAt: new Date() } });
    await addDeliveries(shop, live, 'exhausted', { event: { expiresAt: new Date(0) } });
    await addDeliveries(shop, live, 'delivered', { fields: { createdAt: new Date(Date.now() - 11 * day) } });
    await addDeliveries(shop, gone, 'cancelled', { count: 2 });
    const other = newName('mer');
    await addDeliveries(other, await openEndpoint(other), 'delivered');
    const before = await states(shop);
    expect(await previewReplay(database, shop, filter())).toEqual({
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
    expect(await previewReplay(database, shop, filter({ newIds: true }))).toMatchObject({ total: 6 });
    expect(await previewReplay(database, shop, filter({ endpointId: gone }))).toMatchObject({ total: 0 });
    expect(await previewReplay(database, shop, filter({ states: ['exhausted'] }))).toMatchObject({
      total: 3,
    });
    expect(await states(shop)).toEqual(before);
  });
});

describe('a replay', () => {
  it('under old ids makes deliveries due oldest first, from the start of the schedule, and touches no pending one', async () => {
    const shop = newName('mer');
    const endpoint = await openEndpoint(shop);
    const ids = await addDeliveries(shop, endpoint, 'delivered', { count: 5 });
    const [waiting] = await addDeliveries(shop, endpoint, 'pending');
    // 2 a second.
    const replay = await start(shop, { perMinute: 120 });
    const due = async () =>
      (
        await database.delivery.findMany({
          where: { merchantId: shop, state: 'pending', id: { not: waiting ?? '' } },
        })
      )
        .map(({ id }) => id)
        .toSorted();
    expect(await runReplayBatch(database)).toMatchObject({
      moved: 2,
      endpointIds: [endpoint],
      finished: false,
    });
    expect(await due()).toEqual(ids.slice(0, 2));
    expect(await runReplayBatch(database)).toBeUndefined();
    expect(await find(shop, replay)).toMatchObject({ state: 'running', total: 5, done: 2 });
    await finish(shop, replay);
    expect(await due()).toEqual(ids);
    expect(await find(shop, replay)).toMatchObject({ state: 'done', done: 5, finishedAt: expect.any(Date) });
    expect(await database.delivery.findMany({ where: { id: { in: ids } } })).toEqual(
      ids.map(
        () => expect.objectContaining({ scheduleStep: 0, attemptsMade: 3, finishedAt: null }) as unknown,
      ),
    );
    expect(await database.delivery.findUniqueOrThrow({ where: { id: waiting ?? '' } })).toMatchObject({
      scheduleStep: 3,
    });
    expect(await database.delivery.count({ where: { merchantId: shop } })).toBe(6);
  });

  it('keeps its pace: the next portion is due when the last one has had its time', async () => {
    const shop = newName('mer');
    await addDeliveries(shop, await openEndpoint(shop), 'delivered', { count: 3 });
    const replay = await start(shop, { perMinute: 6 });
    const before = (await find(shop, replay))?.nextAt as Date;
    await runReplayBatch(database);
    const after = await find(shop, replay);
    expect(after).toMatchObject({ done: 1 });
    const seconds = (Number(after?.nextAt) - Number(before)) / 1_000;
    expect(seconds).toBeCloseTo(10, 1);
  });

  it('under new ids adds deliveries once, and never where one is waiting already', async () => {
    const shop = newName('mer');
    const endpoint = await openEndpoint(shop);
    const ids = await addDeliveries(shop, endpoint, 'delivered', { count: 3 });
    await addDeliveries(shop, endpoint, 'held');
    await addDeliveries(shop, endpoint, 'delivered', { event: { erasedAt: new Date() } });
    const all = () =>
      database.delivery.findMany({ where: { merchantId: shop }, orderBy: { createdAt: 'asc' } });
    const replay = await start(shop, { newIds: true });
    expect(await previewReplay(database, shop, filter({ newIds: true }))).toMatchObject({
      total: 4,
      skipped: [{ reason: 'still_waiting', count: 1 }],
    });
    await finish(shop, replay);
    const added = (await all()).filter(({ replayId }) => replayId === replay);
    expect(added).toHaveLength(4);
    expect(added).toEqual(
      added.map(
        () => expect.objectContaining({ state: 'pending', attemptsMade: 0, scheduleStep: 0 }) as unknown,
      ),
    );
    expect(
      (await all()).filter(({ id }) => ids.includes(id)).every(({ state }) => state === 'delivered'),
    ).toBe(true);

    // All copies wait: nothing is left to be sent.
    const second = await start(shop, { newIds: true });
    await finish(shop, second);
    expect(await find(shop, second)).toMatchObject({ total: 0, done: 0, state: 'done' });
    // Once they are delivered, an event has two deliveries and still gets one.
    await database.delivery.updateMany({ where: { replayId: replay }, data: { state: 'delivered' } });
    const third = await start(shop, { newIds: true });
    await finish(shop, third);
    expect((await all()).filter(({ replayId }) => replayId === third)).toHaveLength(4);
  });

  it('holds what is for a paused or disabled endpoint, and leaves out what is for a deleted one', async () => {
    for (const newIds of [false, true]) {
      const shop = newName('mer');
      const now = new Date();
      const [paused, disabled, deleted] = [
        await openEndpoint(shop, { pausedAt: now }),
        await openEndpoint(shop, { disabledAt: now }),
        await openEndpoint(shop, { deletedAt: now }),
      ];
      for (const endpoint of [paused, disabled, deleted]) await addDeliveries(shop, endpoint, 'exhausted');
      const replay = await start(shop, { newIds });
      const portion = await runReplayBatch(database);
      expect(portion).toMatchObject({ replayId: replay, moved: 2, endpointIds: [], finished: true });
      const sent = await database.delivery.findMany({ where: { merchantId: shop, state: 'held' } });
      expect(new Set(sent.map(({ endpointId }) => endpointId))).toEqual(new Set([paused, disabled]));
      expect(sent.every(({ nextAttemptAt }) => nextAttemptAt === null)).toBe(true);
      expect(await states(shop)).toHaveLength(newIds ? 5 : 3);
    }
  });

  it('looks past any number of deliveries that are not meant', async () => {
    const shop = newName('mer');
    const endpoint = await openEndpoint(shop);
    await database.$executeRaw`
      INSERT INTO events (merchant_id, id, type, body)
      SELECT ${shop}, ${shop} || '_' || n, 'reward.issue', '{}' FROM generate_series(1, 12500) n`;
    await database.$executeRaw`
      INSERT INTO deliveries (id, merchant_id, event_id, endpoint_id, state, next_attempt_at, created_at)
      SELECT gen_random_uuid(), ${shop}, ${shop} || '_' || n, ${endpoint},
        CASE WHEN n % 6250 = 0 THEN 'exhausted' ELSE 'delivered' END, NULL, now() - interval '1 hour' + n * interval '1 ms'
      FROM generate_series(1, 12500) n`;
    const replay = await start(shop, { states: ['exhausted'], perMinute: 60 });
    await finish(shop, replay);
    expect(await find(shop, replay)).toMatchObject({ total: 2, done: 2, state: 'done' });
  });

  it('that a worker dies in the middle of doubles nothing and loses nothing', async () => {
    const shop = newName('mer');
    const endpoint = await openEndpoint(shop);
    await addDeliveries(shop, endpoint, 'delivered', { count: 4 });
    const replay = await start(shop, { newIds: true, perMinute: 120 });
    expect(await runReplayBatch(database)).toMatchObject({ moved: 2 });
    await database.replay.updateMany({ data: { nextAt: new Date(0) }, where: { id: replay } });
    // The last statement of the transaction fails, after the deliveries were made.
    await database.$executeRaw`ALTER TABLE replays ADD CONSTRAINT dies CHECK (done <= 2) NOT VALID`;
    await expect(runReplayBatch(database)).rejects.toThrow('dies');
    await database.$executeRaw`ALTER TABLE replays DROP CONSTRAINT dies`;
    expect(await find(shop, replay)).toMatchObject({ done: 2, state: 'running' });
    expect(await states(shop)).toHaveLength(6);
    await finish(shop, replay);
    expect(await states(shop)).toHaveLength(8);
    expect(await find(shop, replay)).toMatchObject({ done: 4, state: 'done' });
  });

  it('is shared by workers: each delivery is moved once', async () => {
    const shop = newName('mer');
    const endpoint = await openEndpoint(shop);
    await addDeliveries(shop, endpoint, 'delivered', { count: 60 });
    await database.$executeRaw`CREATE TABLE moves (id uuid)`;
    await database.$executeRawUnsafe(`CREATE FUNCTION note_move() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN INSERT INTO moves VALUES (NEW.id); RETURN NEW; END'`);
    await database.$executeRaw`
      CREATE TRIGGER note_move AFTER UPDATE ON deliveries FOR EACH ROW EXECUTE FUNCTION note_move()`;
    const replay = await start(shop, { perMinute: 180 });
    const workers = [1, 2, 3].map((number) =>
      openDatabase({ url: databaseUrl, poolSize: 2, applicationName: `worker ${number}` }),
    );
    const portions: number[] = [];
    const workUntilDone = async (worker: Database, index: number) => {
      while ((await find(shop, replay))?.state === 'running') {
        await worker.replay.updateMany({
          where: { id: replay, state: 'running' },
          data: { nextAt: new Date(0) },
        });
        if (await runReplayBatch(worker)) portions[index] = (portions[index] ?? 0) + 1;
      }
      await worker.$disconnect();
    };
    await Promise.all(workers.map(workUntilDone));
    await database.$executeRaw`DROP TRIGGER note_move ON deliveries`;
    const moves = await database.$queryRaw<{ id: string }[]>`SELECT id::text FROM moves`;
    expect([moves.length, new Set(moves.map(({ id }) => id)).size]).toEqual([60, 60]);
    expect(await find(shop, replay)).toMatchObject({ done: 60, state: 'done' });
    expect(portions.filter((count) => count > 0).length).toBeGreaterThan(1);
  });

  it('waits for an erasure under way and then leaves the event out, and so does a retry', async () => {
    const shop = newName('mer');
    const [delivery] = await addDeliveries(shop, await openEndpoint(shop), 'delivered');
    const replay = await start(shop);
    let resend: Promise<unknown[]> | undefined;
    await transact(database, async (tx) => {
      await tx.query('UPDATE events SET erased_at = now() WHERE merchant_id = $1', [shop]);
      resend = Promise.all([runReplayBatch(database), retryDelivery(database, shop, delivery ?? '')]);
      // Both wait for the lock before this transaction ends.
      await waitForLocks(database, 2);
    });
    expect(await resend).toMatchObject([{ replayId: replay, moved: 0, finished: true }, undefined]);
    expect(await states(shop)).toEqual(['delivered']);
  });

  it('under new ids makes nothing due that another one is making due at the same moment', async () => {
    const shop = newName('mer');
    await addDeliveries(shop, await openEndpoint(shop), 'delivered');
    await start(shop, { newIds: true });
    await start(shop, { newIds: true });
    let portions: Promise<unknown[]> | undefined;
    await transact(database, async (tx) => {
      await tx.query('SELECT 1 FROM deliveries WHERE merchant_id = $1 FOR UPDATE', [shop]);
      portions = Promise.all([runReplayBatch(database), runReplayBatch(database)]);
      await waitForLocks(database, 2);
    });
    expect(await portions).toEqual(
      expect.arrayContaining([expect.objectContaining({ moved: 1 }), expect.objectContaining({ moved: 0 })]),
    );
    expect((await states(shop)).toSorted()).toEqual(['delivered', 'pending']);
  });

  it('is paused, resumed where it stopped, and cancelled, by its own merchant only', async () => {
    const [shop, other] = [newName('mer'), newName('mer')];
    await addDeliveries(shop, await openEndpoint(shop), 'delivered', { count: 3 });
    const replay = await start(shop, { perMinute: 60 });
    const later = await start(shop, { perMinute: 60, endpointId: 'none' });
    for (const move of [pauseReplay, cancelReplay]) expect(await move(database, other, replay)).toBe(false);
    expect([await find(other, replay), await listReplays(database, other, { limit: 9 })]).toEqual([null, []]);
    expect((await listReplays(database, shop, { limit: 9 })).map(({ id }) => id)).toEqual([later, replay]);
    await cancelReplay(database, shop, later);

    expect(await resumeReplay(database, shop, replay)).toBe(false);
    await runReplayBatch(database);
    expect(await pauseReplay(database, shop, replay)).toBe(true);
    await database.replay.updateMany({ where: { id: replay }, data: { nextAt: new Date(0) } });
    expect(await runReplayBatch(database)).toBeUndefined();
    expect(await resumeReplay(database, other, replay)).toBe(false);
    expect(await resumeReplay(database, shop, replay)).toBe(true);
    expect(await runReplayBatch(database)).toMatchObject({ replayId: replay, moved: 1 });
    expect(await cancelReplay(database, shop, replay)).toBe(true);
    await database.replay.updateMany({ where: { id: replay }, data: { nextAt: new Date(0) } });
    expect(await runReplayBatch(database)).toBeUndefined();
    expect(await find(shop, replay)).toMatchObject({
      state: 'cancelled',
      done: 2,
      finishedAt: expect.any(Date),
    });
    for (const move of [pauseReplay, resumeReplay, cancelReplay])
      expect(await move(database, shop, replay)).toBe(false);
    expect((await states(shop)).toSorted()).toEqual(['delivered', 'pending', 'pending']);
  });
});
