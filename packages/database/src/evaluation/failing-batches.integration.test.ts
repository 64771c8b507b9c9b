import { waitFor } from '@rewardhook/testing';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { parkOrder, recordFailure, unparkDecided } from './failing-batches.ts';

useDatabase(3);

const merchantId = 'mer_1';
const batches = () => database.dueBatch.findMany({ where: { merchantId }, orderBy: { orderIds: 'asc' } });
const requestOf = (version: number) => ({ version, id: `req_${version}` });

/** Parks an order that came with the request of this version. */
async function park(orderId: string, version: number): Promise<void> {
  const { id } = await database.dueBatch.create({
    data: {
      merchantId,
      orderIds: [orderId],
      memberIds: ['ann'],
      orderVersions: [BigInt(version)],
      requests: [requestOf(version)],
    },
  });
  await parkOrder(database, { merchantId, batchId: id }, 'a defect');
}

/** Stores a decision about a version of an order. */
async function decide(orderId: string, version: number): Promise<void> {
  await database.decision.create({
    data: {
      merchantId,
      orderId,
      number: version,
      orderVersion: BigInt(version),
      memberId: 'ann',
      referralId: 'ref_1',
      programVersion: 1,
      outcome: 'no_reward',
      reason: 'not_paid',
      checks: [],
    },
  });
}

afterEach(async () => {
  await database.dueBatch.deleteMany({ where: { merchantId } });
  await database.decision.deleteMany({ where: { merchantId } });
});

describe('A batch that fails three times', () => {
  it('is replaced by a batch for each order, with its version and its requests', async () => {
    const { id: batchId } = await database.dueBatch.create({
      data: {
        merchantId,
        orderIds: ['o1', 'o2'],
        memberIds: ['ann', 'ben'],
        orderVersions: [1n, 2n],
        requests: [requestOf(1), requestOf(2), { id: 'req_of_all' }],
      },
    });
    const failure = () => recordFailure(database, { merchantId, batchId }, 'a defect');
    expect([await failure(), await failure()]).toEqual([undefined, undefined]);
    expect(await failure()).toMatchObject([{ orders: 1 }, { orders: 1 }]);
    const common = { failures: 3, lastError: 'a defect', parkedAt: null };
    expect(await batches()).toMatchObject([
      { ...common, orderIds: ['o1'], memberIds: ['ann'], requests: [requestOf(1), { id: 'req_of_all' }] },
      { ...common, orderIds: ['o2'], memberIds: ['ben'], requests: [requestOf(2), { id: 'req_of_all' }] },
    ]);
  });
});

describe('A parked order', () => {
  it('has one row with its newest request, however often it is parked, until it is decided', async () => {
    await park('o1', 1);
    await park('o2', 2);
    for (let version = 3; version < 6; version += 1) await park('o1', version);
    expect(await batches()).toMatchObject([
      { orderIds: ['o1'], orderVersions: [5n], requests: [requestOf(5)] },
      { orderIds: ['o2'], orderVersions: [2n], requests: [requestOf(2)] },
    ]);
    await decide('o1', 6);
    await unparkDecided(database);
    expect(await batches()).toMatchObject([
      { orderIds: ['o2'], orderVersions: [2n], requests: [requestOf(2)] },
    ]);
  });

  it('is no longer parked when its newer version was decided, although another order was parked after the decision', async () => {
    await park('o1', 1);
    await decide('o1', 2);
    await park('o2', 3);
    await unparkDecided(database);
    expect(await batches()).toMatchObject([{ orderIds: ['o2'], orderVersions: [3n] }]);
  });

  it('remains parked when it was decided, and was parked again with its next version', async () => {
    await park('o1', 1);
    await decide('o1', 2);
    await park('o1', 3);
    await unparkDecided(database);
    expect(await batches()).toMatchObject([{ orderIds: ['o1'], orderVersions: [3n] }]);
  });

  it('remains parked when it is parked again while decided orders are looked for', async () => {
    await park('o1', 1);
    await decide('o1', 2);
    await database.dueBatch.create({
      data: { merchantId, orderIds: ['o1'], memberIds: ['ann'], orderVersions: [3n] },
    });
    // The statement reads the row before the order is parked again, and changes it afterwards.
    const unparking = await database.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM due_batches WHERE merchant_id = ${merchantId} AND parked_at IS NOT NULL FOR UPDATE`;
      const running = unparkDecided(database);
      await waitFor(async () => {
        const [waiting] = await database.query<{ count: number }>(
          `SELECT count(*)::int AS count FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return waiting?.count === 1;
      });
      await tx.$executeRaw`UPDATE due_batches SET parked_at = clock_timestamp(), order_versions = '{3}'
        WHERE merchant_id = ${merchantId} AND parked_at IS NOT NULL`;
      await tx.$executeRaw`DELETE FROM due_batches WHERE merchant_id = ${merchantId} AND parked_at IS NULL`;
      return { running };
    });
    await unparking.running;
    expect(await batches()).toMatchObject([{ orderIds: ['o1'], orderVersions: [3n] }]);
  });
});
