import { FeedCursorExpired } from '../events/feed-position.ts';
import type { FeedPosition } from '../events/feed-position.ts';
import { listFeedPage } from '../events/feed.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { transact } from '../client/client.ts';
import { listPartitions, rowsAfterPartitionsSql } from './prune-partitions.ts';
import { pruneDatabase } from './prune.ts';
import { dayMs } from './retention-policy.ts';
import type { RetentionPolicy } from '@rewardhook/process';
import { insertTestEndpoint, newName } from '../fixtures/replayed-deliveries.ts';

useDatabase(4);

const policy = {
  attemptsDays: 10,
  eventsDays: 20,
  decisionsDays: 30,
  noticesDays: 40,
  replaysDays: 50,
  auditDays: 60,
};
const ago = (days: number) => new Date(Date.now() - days * dayMs);
const prune = async (changes: Partial<RetentionPolicy> = {}) => {
  const { tables } = await pruneDatabase(database, { ...policy, ...changes });
  return Object.fromEntries(tables.map((table) => [table.table, table]));
};

/** Replaces the partitions of a table by ones of a width in days. The first begins `daysAgo` days ago. */
async function partition(table: 'attempts' | 'events' | 'requests', daysAgo: number, width: number) {
  for (const { name } of await listPartitions(database, table)) await database.query(`DROP TABLE "${name}"`);
  await database.query(
    `SELECT rules.add_partition($1, day::date, day::date + $2::int)
     FROM generate_series((now() AT TIME ZONE 'UTC')::date - $3::int, (now() AT TIME ZONE 'UTC')::date + 7,
       make_interval(days => $2)) AS day`,
    [table, width, daysAgo],
  );
}

/** Inserts an event of a number of days ago, with a delivery and an attempt. */
async function insertDelivery(merchantId: string, endpointId: string, days: number, fields: object = {}) {
  const [id, eventId, at] = [crypto.randomUUID(), newName('evt'), ago(days)];
  await database.event.create({
    data: { merchantId, id: eventId, type: 'reward.issue', body: '{}', createdAt: at },
  });
  await database.delivery.create({
    data: {
      ...{ id, merchantId, eventId, eventCreatedAt: at, endpointId, createdAt: at, finishedAt: at },
      ...{ state: 'delivered', nextAttemptAt: null, attemptsMade: 1 },
      ...fields,
    },
  });
  await database.attempt.create({
    data: { deliveryId: id, number: 1, merchantId, endpointId, startedAt: at, url: '', timings: {} },
  });
  return { id, eventId };
}

const rowsAfterPartitions = async () => {
  const [row] = await database.query<{ count: string }>(`SELECT (${rowsAfterPartitionsSql}) AS count`);
  return Number(row?.count);
};

const counts = async (merchantId: string) => {
  const where = { where: { merchantId } };
  return [
    await database.event.count(where),
    await database.delivery.count(where),
    await database.attempt.count(where),
  ];
};

describe('The pruner', () => {
  beforeAll(async () => {
    await partition('events', 60, 10);
    await partition('attempts', 60, 10);
  });

  it('drops partitions of events and attempts, and deletes final deliveries, of older days only', async () => {
    const merchantId = newName('mer');
    await database.merchant.create({ data: { id: merchantId, name: 'm', identitySecret: '' } });
    const endpoint = await insertTestEndpoint(merchantId);
    for (const days of [1, 5, 9, 11, 15, 19, 22.5, 25, 59, 70])
      await insertDelivery(merchantId, endpoint, days);
    const pruned = await prune();
    expect(await counts(merchantId)).toEqual([6, 6, 3]);
    expect(pruned['events']?.partitionsDropped).toHaveLength(4);
    expect(pruned['events']?.rowsDeleted).toBe(1);
    expect(pruned['attempts']?.partitionsDropped).toHaveLength(5);
    expect(pruned['deliveries']?.rowsDeleted).toBe(4);
    const again = await prune();
    expect(Object.values(again).flatMap((one) => [...one.partitionsDropped, ...one.partitionsKept])).toEqual(
      [],
    );
  });

  it('keeps requests for seven days, by the day, and their counts for 90', async () => {
    const merchantId = newName('mer');
    await partition('requests', 12, 1);
    const days = [0, 1, 6, 9, 12, 40];
    const request = { merchantId, route: 'GET /', status: 200, keyId: 'k', durationMs: 1, requestId: 'r' };
    await database.request.createMany({ data: days.map((day) => ({ ...request, at: ago(day) })) });
    const count = { merchantId, route: 'GET /', code: 'not_found', writer: 'w', total: 1 };
    await database.requestCount.createMany({
      data: [0, 89, 91].map((day) => ({ ...count, startsAt: ago(day) })),
    });
    const { requests } = await prune();
    expect(requests?.partitionsDropped).toHaveLength(5);
    expect(requests?.rowsDeleted).toBe(1);
    expect(await database.request.count({ where: { merchantId } })).toBe(3);
    expect(await database.requestCount.count({ where: { merchantId } })).toBe(2);
  });

  it('keeps pending and held deliveries, and the partition of their events until they are final', async () => {
    await partition('events', 60, 10);
    const merchantId = newName('mer');
    await database.merchant.create({ data: { id: merchantId, name: 'm', identitySecret: '' } });
    const endpoint = await insertTestEndpoint(merchantId);
    const held = await insertDelivery(merchantId, endpoint, 31, { state: 'held', finishedAt: null });
    await insertDelivery(merchantId, endpoint, 31);
    await insertDelivery(merchantId, endpoint, 41);
    const { events } = await prune();
    expect(events?.partitionsKept.map(({ reason }) => reason)).toContain('undelivered');
    expect(await database.delivery.findMany({ where: { merchantId } })).toMatchObject([{ id: held.id }]);
    expect(await database.event.count({ where: { merchantId, id: held.eventId } })).toBe(1);

    await database.delivery.updateMany({ where: { id: held.id }, data: { state: 'cancelled' } });
    await prune();
    expect(await counts(merchantId)).toEqual([0, 0, 0]);
  });

  it('keeps an event as long as a replay still has to send it', async () => {
    await partition('events', 60, 10);
    const merchantId = newName('mer');
    await database.merchant.create({ data: { id: merchantId, name: 'm', identitySecret: '' } });
    const endpoint = await insertTestEndpoint(merchantId);
    const { eventId } = await insertDelivery(merchantId, endpoint, 33);
    const eventCreatedAt = (await database.event.findFirstOrThrow({ where: { merchantId } })).createdAt;
    const replayed = { id: crypto.randomUUID(), merchantId, eventId, eventCreatedAt, endpointId: endpoint };
    await database.delivery.create({ data: { ...replayed, replayId: 'rpl_1' } });
    await prune();
    expect(await counts(merchantId)).toEqual([1, 1, 0]);
    await database.delivery.updateMany({ where: { merchantId }, data: { state: 'delivered' } });
    await prune();
    expect(await counts(merchantId)).toEqual([0, 0, 0]);
  });

  it('lets a reader of the feed know that events were deleted which nobody had read', async () => {
    await partition('events', 60, 10);
    const merchantId = newName('mer');
    await database.merchant.create({ data: { id: merchantId, name: 'm', identitySecret: '' } });
    const insert = (id: string, days: number) =>
      database.event.create({
        data: { merchantId, id, type: 'reward.issue', body: '{}', createdAt: ago(days) },
      });
    const read = async (after: FeedPosition | null) =>
      (await listFeedPage(database, merchantId, { after, limit: 10, types: ['reward.issue'] })).next;
    await insert('evt_read', 40);
    const cursor = await read(null);
    await insert('evt_unread', 35);
    await insert('evt_new', 1);
    await prune();
    await expect(read(cursor)).rejects.toThrow(FeedCursorExpired);
    expect(await read(null)).toMatchObject({ position: 3 });
    expect(await database.event.findMany({ where: { merchantId } })).toMatchObject([{ id: 'evt_new' }]);
  });

  it('keeps the newest decision of each order, and others for some days after they were superseded', async () => {
    await database.pruning.deleteMany();
    const merchantId = newName('mer');
    const insert = (orderId: string, ...days: number[]) =>
      database.decision.createMany({
        data: days.map((at, index) => ({
          ...{
            merchantId,
            orderId,
            number: index + 1,
            orderVersion: index + 1,
            memberId: 'u',
            referralId: 'r',
          },
          ...{ programVersion: 1, outcome: 'no_reward', reason: 'not_paid', checks: [], createdAt: ago(at) },
        })),
      });
    await insert('old', 900);
    await insert('superseded', 900, 800, 100, 5);
    await insert('recently', 900, 5);
    await prune();
    expect(
      await database.decision.findMany({ where: { merchantId }, orderBy: { createdAt: 'asc' } }),
    ).toMatchObject([
      { orderId: 'old', number: 1 },
      { orderId: 'recently', number: 1 },
      { orderId: 'superseded', number: 3 },
      { orderId: 'superseded', number: 4 },
      { orderId: 'recently', number: 2 },
    ]);
    // The next run starts where this one ended.
    await prune({ decisionsDays: 3 });
    expect(await database.decision.count({ where: { merchantId, number: { lt: 3 } } })).toBe(2);
  });

  /** Leaves the table of attempts with one partition, of these days around today. */
  async function leaveOnePartition(since: number, until: number): Promise<void> {
    for (const { name } of await listPartitions(database, 'attempts'))
      await database.query(`DROP TABLE "${name}"`);
    await database.query(
      `SELECT rules.add_partition('attempts', day + $1::int, day + $2::int)
       FROM (SELECT (now() AT TIME ZONE 'UTC')::date AS day) today`,
      [since, until],
    );
  }

  it('adds partitions a week ahead, and moves rows there that were created after the last one', async () => {
    await leaveOnePartition(-1, 2);
    const attempt = { deliveryId: crypto.randomUUID(), number: 1, merchantId: 'm', endpointId: 'e' };
    await database.attempt.create({ data: { ...attempt, startedAt: ago(-5), url: '', timings: {} } });
    expect(await rowsAfterPartitions()).toBe(1);
    const { attempts } = await prune();
    expect(attempts?.partitionsAdded.length).toBeGreaterThanOrEqual(5);
    const last = (await listPartitions(database, 'attempts')).at(-1);
    expect(Number(last?.until)).toBeGreaterThanOrEqual(Date.now() + 7 * dayMs);
    expect(await rowsAfterPartitions()).toBe(0);
    expect(await database.attempt.count({ where: { merchantId: 'm' } })).toBe(1);
  });

  it('starts the next partition tomorrow when none was added for days', async () => {
    await leaveOnePartition(-3, -2);
    await database.query(
      `INSERT INTO attempts (delivery_id, number, merchant_id, endpoint_id, started_at, url, timings)
       SELECT gen_random_uuid(), 1, 'late', 'e', now(), '', '{}' FROM generate_series(1, 10001)`,
    );
    const { attempts } = await prune();
    const partitionOf = (days: number) =>
      `attempts_p${ago(days).toISOString().slice(0, 10).replaceAll('-', '')}`;
    expect(attempts?.partitionsAdded).toContain(partitionOf(-1));
    expect(attempts?.partitionsAdded).not.toContain(partitionOf(0));
    expect(await database.attempt.count({ where: { merchantId: 'late' } })).toBe(10_001);
    await database.query(`DELETE FROM attempts WHERE merchant_id = 'late'`);
  });

  it('does not wait for a reader of an old partition, which a later run drops', async () => {
    await partition('attempts', 30, 10);
    const kept = await transact(database, async (tx) => {
      await tx.query(`SELECT count(*) FROM attempts WHERE started_at < now() - interval '20 days'`);
      const { attempts } = await prune();
      return attempts?.partitionsKept;
    });
    expect(kept?.length).toBeGreaterThan(0);
    expect(kept?.every(({ reason }) => reason === 'locked')).toBe(true);
    expect((await prune())['attempts']?.partitionsKept).toEqual([]);
  });

  it('keeps the former id of a test side until its audit entries are pruned', async () => {
    const liveMerchantId = newName('mer');
    await database.merchant.create({ data: { id: liveMerchantId, name: 'm', identitySecret: '' } });
    const ids: Record<string, string> = {};
    const wipes = { recent: ago(50), pending: null, audited: ago(70), old: ago(70) };
    for (const [name, finishedAt] of Object.entries(wipes)) {
      const merchantId = (ids[name] = newName('mer_test'));
      await database.wipe.create({ data: { merchantId, liveMerchantId, requestedAt: ago(70), finishedAt } });
    }
    const entry = { actorKind: 'system', action: 'test_data.wiped', subjectKind: 'merchant' };
    await database.auditEntry.create({
      data: { ...entry, id: newName('aud'), merchantId: ids['audited']!, at: ago(59) },
    });
    expect((await prune())['wipes']?.rowsDeleted).toBe(1);
    const kept = await database.wipe.findMany({ where: { liveMerchantId } });
    expect(kept.map(({ merchantId }) => merchantId).toSorted()).toEqual(
      [ids['recent'], ids['pending'], ids['audited']].toSorted(),
    );
    expect((await prune({ auditDays: 58 }))['wipes']?.rowsDeleted).toBe(1);
  });

  it('runs in one process at a time', async () => {
    await transact(database, async (tx) => {
      await tx.query(`SELECT pg_advisory_xact_lock(hashtext('rewardhook prune'))`);
      await expect(prune()).rejects.toThrow('another process is pruning');
    });
  });
});

describe('The functions of partitions', () => {
  it('refuse other tables, and partitions with rows of the last day', async () => {
    const call = (sql: string) => database.query(sql);
    await expect(call(`SELECT rules.add_partition('orders', '2020-01-01', '2020-01-02')`)).rejects.toThrow(
      'no partition',
    );
    await expect(call(`SELECT rules.drop_partition('orders')`)).rejects.toThrow(
      'not a partition that can be dropped',
    );
    await expect(call(`SELECT rules.drop_partition('events_default')`)).rejects.toThrow('not a partition');
    const current = (await listPartitions(database, 'events')).find(({ until }) => until > new Date());
    await expect(call(`SELECT rules.drop_partition('${current?.name}')`)).rejects.toThrow('not a partition');
  });
});
