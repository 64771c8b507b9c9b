import { updateEndpoint } from '../endpoints/endpoints.ts';
import { pauseEndpoint, resumeEndpoint } from '../endpoints/endpoint-control.ts';
import { buildAttempt } from '../fixtures/build-attempt.ts';
import { lockDelivery, meetInDeadlock } from '../fixtures/meet-in-deadlock.ts';
import { database, useDatabase, databaseUrl } from '../fixtures/use-database.ts';
import { insertTestMerchants } from '../fixtures/test-merchants.ts';
import { transact } from '../client/client.ts';
import type { Database } from '../client/client.ts';
import { openDatabase } from '../client/prisma.ts';
import {
  buildFilter,
  insertDeliveries,
  insertTestEndpoint,
  listStates,
  newName,
  day,
} from '../fixtures/replayed-deliveries.ts';
import { waitForLocks } from '../fixtures/wait-for-locks.ts';
import { previewReplay, previewReplayWithin } from '../replays/preview-replay.ts';
import type { ReplayFilter } from '../replays/replay-filter.ts';
import {
  cancelReplay,
  createReplay,
  findReplay,
  listReplays,
  pauseReplay,
  resumeReplay,
} from '../replays/replays.ts';
import { runReplayBatch } from '../replays/run-replay-batch.ts';
import { claimDeliveries, releaseDeliveries } from './claim-deliveries.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';
import { recordAttempts } from './record-attempts.ts';
import type { AttemptRecord } from './record-attempts.ts';
import { retryDelivery } from './retry-delivery.ts';

describe('Claimed deliveries', () => {
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
});

describe('Replays', () => {
  useDatabase(6);
  afterEach(() => database.$executeRaw`UPDATE replays SET state = 'cancelled' WHERE state <> 'done'`);

  const start = async (merchantId: string, changes: Partial<ReplayFilter> & { perMinute?: number } = {}) => {
    const { perMinute = 60_000, ...rest } = changes;
    return (await createReplay(database, merchantId, { ...buildFilter(rest), perMinute, maxOpen: 10 })).replay
      .id;
  };
  /** Runs a replay to its end, without waiting for the times of its batches. */
  async function finish(merchantId: string, id: string): Promise<void> {
    for (let finished = false; !finished;) {
      await database.replay.updateMany({ where: { merchantId, id }, data: { nextAt: new Date(0) } });
      const batch = await runReplayBatch(database);
      expect(batch?.replayId).toBe(id);
      finished = batch?.finished === true;
    }
  }
  const find = (merchantId: string, id: string) => findReplay(database, merchantId, id);

  describe('createReplay', () => {
    it('A replay of more deliveries than its time allows to count has the least there are as its total, and the number when it is done', async () => {
      const merchantId = newName('mer');
      const endpoint = await insertTestEndpoint(merchantId);
      const count = 2_500;
      await database.query(
        `WITH made AS (
         SELECT $1 || number AS id, now() - interval '1 hour' AS at FROM generate_series(1, $3::int) AS number
       ), stored AS (
         INSERT INTO events (merchant_id, id, type, body, created_at)
         SELECT $1, id, 'reward.issue', '{}', at FROM made
       )
       INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id, state, created_at)
       SELECT gen_random_uuid(), $1, id, at, $2, 'exhausted', at FROM made`,
        [merchantId, endpoint, count],
      );
      const created = await createReplay(database, merchantId, {
        ...buildFilter(),
        perMinute: 60_000,
        maxOpen: 10,
        countMs: 0,
      });
      expect(created.preview).toMatchObject({ total: 1_000, complete: false });
      const { id } = created.replay;
      expect(await find(merchantId, id)).toMatchObject({ total: 1_000, totalComplete: false });
      await runReplayBatch(database);
      await database.replay.updateMany({ where: { merchantId, id }, data: { nextAt: new Date(0) } });
      await runReplayBatch(database);
      expect(await find(merchantId, id)).toMatchObject({ total: 2_000, totalComplete: false, done: 2_000 });
      await finish(merchantId, id);
      expect(await find(merchantId, id)).toMatchObject({ total: count, totalComplete: true, done: count });
    });
  });

  describe('runReplayBatch', () => {
    it('A replay under old ids makes deliveries due, oldest first, from the start of the schedule, and does not change pending ones', async () => {
      const merchantId = newName('mer');
      const endpoint = await insertTestEndpoint(merchantId);
      const ids = await insertDeliveries(merchantId, endpoint, 'delivered', { count: 5 });
      const [pending] = await insertDeliveries(merchantId, endpoint, 'pending');
      // 2 a second.
      const replay = await start(merchantId, { perMinute: 120 });
      const due = async () =>
        (
          await database.delivery.findMany({
            where: { merchantId, state: 'pending', id: { not: pending ?? '' } },
          })
        )
          .map(({ id }) => id)
          .toSorted();
      expect(await runReplayBatch(database)).toMatchObject({
        resent: 2,
        endpointIds: [endpoint],
        finished: false,
      });
      expect(await due()).toEqual(ids.slice(0, 2));
      expect(await runReplayBatch(database)).toBeUndefined();
      expect(await find(merchantId, replay)).toMatchObject({ state: 'running', total: 5, done: 2 });
      await finish(merchantId, replay);
      expect(await due()).toEqual(ids);
      expect(await find(merchantId, replay)).toMatchObject({
        state: 'done',
        done: 5,
        finishedAt: expect.any(Date),
      });
      expect(await database.delivery.findMany({ where: { id: { in: ids } } })).toEqual(
        ids.map(
          () => expect.objectContaining({ scheduleStep: 0, attemptsMade: 3, finishedAt: null }) as unknown,
        ),
      );
      expect(await database.delivery.findFirstOrThrow({ where: { id: pending ?? '' } })).toMatchObject({
        scheduleStep: 3,
      });
      expect(await database.delivery.count({ where: { merchantId } })).toBe(6);
    });

    it('The next batch of a replay is due after the time that its rate allows for the last one', async () => {
      const merchantId = newName('mer');
      await insertDeliveries(merchantId, await insertTestEndpoint(merchantId), 'delivered', { count: 3 });
      const replay = await start(merchantId, { perMinute: 6 });
      const before = (await find(merchantId, replay))?.nextAt as Date;
      await runReplayBatch(database);
      const after = await find(merchantId, replay);
      expect(after).toMatchObject({ done: 1 });
      const seconds = (Number(after?.nextAt) - Number(before)) / 1_000;
      expect(seconds).toBeCloseTo(10, 1);
    });

    it('A replay under new ids adds each delivery once, and none where one is still to be sent', async () => {
      const merchantId = newName('mer');
      const endpoint = await insertTestEndpoint(merchantId);
      const ids = await insertDeliveries(merchantId, endpoint, 'delivered', { count: 3 });
      await insertDeliveries(merchantId, endpoint, 'held');
      await insertDeliveries(merchantId, endpoint, 'delivered', { event: { erasedAt: new Date() } });
      const all = () => database.delivery.findMany({ where: { merchantId }, orderBy: { createdAt: 'asc' } });
      const replay = await start(merchantId, { newIds: true });
      expect(await previewReplay(database, merchantId, buildFilter({ newIds: true }))).toMatchObject({
        total: 4,
        skipped: [{ reason: 'still_waiting', count: 1 }],
      });
      await finish(merchantId, replay);
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

      // All copies are still to be sent: nothing is added.
      const second = await start(merchantId, { newIds: true });
      await finish(merchantId, second);
      expect(await find(merchantId, second)).toMatchObject({ total: 0, done: 0, state: 'done' });
      // Once they are delivered, an event has two deliveries and still gets one more.
      await database.delivery.updateMany({ where: { replayId: replay }, data: { state: 'delivered' } });
      const third = await start(merchantId, { newIds: true });
      await finish(merchantId, third);
      expect((await all()).filter(({ replayId }) => replayId === third)).toHaveLength(4);
    });

    it('A replay holds deliveries to paused and disabled endpoints, and skips those to deleted ones', async () => {
      for (const newIds of [false, true]) {
        const merchantId = newName('mer');
        const now = new Date();
        const [paused, disabled, deleted] = [
          await insertTestEndpoint(merchantId, { pausedAt: now }),
          await insertTestEndpoint(merchantId, { disabledAt: now }),
          await insertTestEndpoint(merchantId, { deletedAt: now }),
        ];
        for (const endpoint of [paused, disabled, deleted])
          await insertDeliveries(merchantId, endpoint, 'exhausted');
        const replay = await start(merchantId, { newIds });
        const batch = await runReplayBatch(database);
        expect(batch).toMatchObject({ replayId: replay, resent: 2, endpointIds: [], finished: true });
        const sent = await database.delivery.findMany({ where: { merchantId, state: 'held' } });
        expect(new Set(sent.map(({ endpointId }) => endpointId))).toEqual(new Set([paused, disabled]));
        expect(sent.every(({ nextAttemptAt }) => nextAttemptAt === null)).toBe(true);
        expect(await listStates(merchantId)).toHaveLength(newIds ? 5 : 3);
      }
    });

    it('A replay scans past any number of deliveries that it does not select', async () => {
      const merchantId = newName('mer');
      const endpoint = await insertTestEndpoint(merchantId);
      await database.$executeRaw`
      INSERT INTO events (merchant_id, id, type, body)
      SELECT ${merchantId}, ${merchantId} || '_' || n, 'reward.issue', '{}' FROM generate_series(1, 12500) n`;
      await database.$executeRaw`
      INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id, state, next_attempt_at, created_at)
      SELECT gen_random_uuid(), merchant_id, id, created_at, ${endpoint},
        CASE WHEN n % 6250 = 0 THEN 'exhausted' ELSE 'delivered' END, NULL, now() - interval '1 hour' + n * interval '1 ms'
      FROM events CROSS JOIN LATERAL (SELECT split_part(id, '_', 3)::int AS n) numbered
      WHERE merchant_id = ${merchantId}`;
      const replay = await start(merchantId, { states: ['exhausted'], perMinute: 60 });
      await finish(merchantId, replay);
      expect(await find(merchantId, replay)).toMatchObject({ total: 2, done: 2, state: 'done' });
    });

    it('A replay neither duplicates nor loses a delivery when a worker is killed during a batch', async () => {
      const merchantId = newName('mer');
      const endpoint = await insertTestEndpoint(merchantId);
      await insertDeliveries(merchantId, endpoint, 'delivered', { count: 4 });
      const replay = await start(merchantId, { newIds: true, perMinute: 120 });
      expect(await runReplayBatch(database)).toMatchObject({ resent: 2 });
      await database.replay.updateMany({ data: { nextAt: new Date(0) }, where: { id: replay } });
      // The last statement of the transaction fails, after the deliveries were made.
      await database.$executeRaw`ALTER TABLE replays ADD CONSTRAINT dies CHECK (done <= 2) NOT VALID`;
      await expect(runReplayBatch(database)).rejects.toThrow('dies');
      await database.$executeRaw`ALTER TABLE replays DROP CONSTRAINT dies`;
      expect(await find(merchantId, replay)).toMatchObject({ done: 2, state: 'running' });
      expect(await listStates(merchantId)).toHaveLength(6);
      await finish(merchantId, replay);
      expect(await listStates(merchantId)).toHaveLength(8);
      expect(await find(merchantId, replay)).toMatchObject({ done: 4, state: 'done' });
    });

    it('Workers share a replay and resend each delivery once', async () => {
      const merchantId = newName('mer');
      const endpoint = await insertTestEndpoint(merchantId);
      await insertDeliveries(merchantId, endpoint, 'delivered', { count: 60 });
      await database.$executeRaw`CREATE TABLE resends (id uuid)`;
      await database.$executeRawUnsafe(`CREATE FUNCTION log_resend() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN INSERT INTO resends VALUES (NEW.id); RETURN NEW; END'`);
      await database.$executeRaw`
      CREATE TRIGGER log_resend AFTER UPDATE ON deliveries FOR EACH ROW EXECUTE FUNCTION log_resend()`;
      const replay = await start(merchantId, { perMinute: 180 });
      const workers = [1, 2, 3].map((number) =>
        openDatabase({ url: databaseUrl, poolSize: 2, applicationName: `worker ${number}` }),
      );
      const batches: number[] = [];
      const workUntilDone = async (worker: Database, index: number) => {
        while ((await find(merchantId, replay))?.state === 'running') {
          await worker.replay.updateMany({
            where: { id: replay, state: 'running' },
            data: { nextAt: new Date(0) },
          });
          if (await runReplayBatch(worker)) batches[index] = (batches[index] ?? 0) + 1;
        }
        await worker.$disconnect();
      };
      await Promise.all(workers.map(workUntilDone));
      await database.$executeRaw`DROP TRIGGER log_resend ON deliveries`;
      const resends = await database.$queryRaw<{ id: string }[]>`SELECT id::text FROM resends`;
      expect([resends.length, new Set(resends.map(({ id }) => id)).size]).toEqual([60, 60]);
      expect(await find(merchantId, replay)).toMatchObject({ done: 60, state: 'done' });
      expect(batches.filter((count) => count > 0).length).toBeGreaterThan(1);
    });

    it('A replay and a manual retry wait for an erasure in progress and then skip its event', async () => {
      const merchantId = newName('mer');
      const [delivery] = await insertDeliveries(
        merchantId,
        await insertTestEndpoint(merchantId),
        'delivered',
      );
      const replay = await start(merchantId);
      let resend: Promise<unknown[]> | undefined;
      await transact(database, async (tx) => {
        await tx.query('UPDATE events SET erased_at = now() WHERE merchant_id = $1', [merchantId]);
        resend = Promise.all([runReplayBatch(database), retryDelivery(database, merchantId, delivery ?? '')]);
        // Both wait for the lock before this transaction ends.
        await waitForLocks(database, 2);
      });
      expect(await resend).toMatchObject([{ replayId: replay, resent: 0, finished: true }, undefined]);
      expect(await listStates(merchantId)).toEqual(['delivered']);
    });

    it('Two concurrent replays under new ids add a delivery once', async () => {
      const merchantId = newName('mer');
      await insertDeliveries(merchantId, await insertTestEndpoint(merchantId), 'delivered');
      await start(merchantId, { newIds: true });
      await start(merchantId, { newIds: true });
      let batches: Promise<unknown[]> | undefined;
      await transact(database, async (tx) => {
        await tx.query('SELECT 1 FROM deliveries WHERE merchant_id = $1 FOR UPDATE', [merchantId]);
        batches = Promise.all([runReplayBatch(database), runReplayBatch(database)]);
        await waitForLocks(database, 2);
      });
      expect(await batches).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ resent: 1 }),
          expect.objectContaining({ resent: 0 }),
        ]),
      );
      expect((await listStates(merchantId)).toSorted()).toEqual(['delivered', 'pending']);
    });

    it('A replay is paused, resumed at its cursor and cancelled by its own merchant only', async () => {
      const [merchantId, other] = [newName('mer'), newName('mer')];
      await insertDeliveries(merchantId, await insertTestEndpoint(merchantId), 'delivered', { count: 3 });
      const replay = await start(merchantId, { perMinute: 60 });
      const later = await start(merchantId, { perMinute: 60, endpointId: 'none' });
      for (const move of [pauseReplay, cancelReplay]) expect(await move(database, other, replay)).toBe(false);
      expect([await find(other, replay), await listReplays(database, other, { limit: 9 })]).toEqual([
        undefined,
        [],
      ]);
      expect((await listReplays(database, merchantId, { limit: 9 })).map(({ id }) => id)).toEqual([
        later,
        replay,
      ]);
      await cancelReplay(database, merchantId, later);

      expect(await resumeReplay(database, merchantId, replay)).toBe(false);
      await runReplayBatch(database);
      expect(await pauseReplay(database, merchantId, replay)).toBe(true);
      await database.replay.updateMany({ where: { id: replay }, data: { nextAt: new Date(0) } });
      expect(await runReplayBatch(database)).toBeUndefined();
      expect(await resumeReplay(database, other, replay)).toBe(false);
      expect(await resumeReplay(database, merchantId, replay)).toBe(true);
      expect(await runReplayBatch(database)).toMatchObject({ replayId: replay, resent: 1 });
      expect(await cancelReplay(database, merchantId, replay)).toBe(true);
      await database.replay.updateMany({ where: { id: replay }, data: { nextAt: new Date(0) } });
      expect(await runReplayBatch(database)).toBeUndefined();
      expect(await find(merchantId, replay)).toMatchObject({
        state: 'cancelled',
        done: 2,
        finishedAt: expect.any(Date),
      });
      for (const move of [pauseReplay, resumeReplay, cancelReplay])
        expect(await move(database, merchantId, replay)).toBe(false);
      expect((await listStates(merchantId)).toSorted()).toEqual(['delivered', 'pending', 'pending']);
    });
  });
});

describe('previewReplay', () => {
  useDatabase(2);

  it('A preview counts by endpoint and state, gives the reasons for skipped deliveries, and changes nothing', async () => {
    const merchantId = newName('mer');
    const [live, gone] = [
      await insertTestEndpoint(merchantId),
      await insertTestEndpoint(merchantId, { deletedAt: new Date() }),
    ];
    await insertDeliveries(merchantId, live, 'delivered', { count: 2 });
    await insertDeliveries(merchantId, live, 'exhausted', { count: 3 });
    await insertDeliveries(merchantId, live, 'pending', { count: 4 });
    await insertDeliveries(merchantId, live, 'exhausted', { type: 'webhook.ping' });
    await insertDeliveries(merchantId, live, 'delivered', { event: { erasedAt: new Date() } });
    await insertDeliveries(merchantId, live, 'exhausted', { event: { expiresAt: new Date(0) } });
    await insertDeliveries(merchantId, live, 'delivered', {
      fields: { createdAt: new Date(Date.now() - 11 * day) },
    });
    await insertDeliveries(merchantId, gone, 'cancelled', { count: 2 });
    const other = newName('mer');
    await insertDeliveries(other, await insertTestEndpoint(other), 'delivered');
    const before = await listStates(merchantId);
    expect(await previewReplay(database, merchantId, buildFilter())).toEqual({
      total: 5,
      counts: [
        { endpointId: live, state: 'delivered', count: 2 },
        { endpointId: live, state: 'exhausted', count: 3 },
      ],
      skipped: [
        { endpointId: live, reason: 'event_erased', count: 1 },
        { endpointId: live, reason: 'event_expired', count: 1 },
        // They wait anyway, and are not sent again.
        { endpointId: live, reason: 'pending', count: 4 },
        { endpointId: gone, reason: 'endpoint_deleted', count: 2 },
      ],
    });
    expect(await previewReplay(database, merchantId, buildFilter({ newIds: true }))).toMatchObject({
      total: 6,
    });
    expect(await previewReplay(database, merchantId, buildFilter({ endpointId: gone }))).toMatchObject({
      total: 0,
    });
    expect(await previewReplay(database, merchantId, buildFilter({ states: ['exhausted'] }))).toMatchObject({
      total: 3,
    });
    const lastAnswer = (state: string, data: object) =>
      database.delivery.updateMany({
        where: { merchantId, state },
        data: { lastAttemptAt: new Date(), ...data },
      });
    await lastAnswer('exhausted', { lastErrorClass: 'timeout' });
    await lastAnswer('delivered', { lastStatus: 204 });
    for (const [answers, total] of [
      [['2xx'], 2],
      [['204', '5xx'], 2],
      [['none'], 3],
      [['timeout', '2xx'], 5],
      [['4xx', 'dns'], 0],
    ] as const)
      expect(await previewReplay(database, merchantId, buildFilter({ answers: [...answers] }))).toMatchObject(
        {
          total,
        },
      );
    expect(await listStates(merchantId)).toEqual(before);
  });

  it('A preview whose time is over counts the oldest deliveries and is not complete; one that has time counts all', async () => {
    const merchantId = newName('mer');
    const endpointId = await insertTestEndpoint(merchantId);
    await database.query(
      `WITH made AS (
         SELECT $1 || number AS id, now() - interval '1 hour' AS at FROM generate_series(1, 1100) AS number
       ), stored AS (
         INSERT INTO events (merchant_id, id, type, body, created_at)
         SELECT $1, id, 'reward.issue', '{}', at FROM made
       )
       INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id, state, created_at)
       SELECT gen_random_uuid(), $1, id, at, $2, 'exhausted', at FROM made`,
      [merchantId, endpointId],
    );
    expect(await previewReplayWithin(database, merchantId, buildFilter(), 0)).toMatchObject({
      total: 1_000,
      complete: false,
    });
    expect(await previewReplayWithin(database, merchantId, buildFilter(), 60_000)).toMatchObject({
      total: 1_100,
      complete: true,
    });
  });
});
