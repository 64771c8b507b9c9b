import { waitFor } from '@rewardhook/testing';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { splitOrPark, unparkDecided } from './failing-batches.ts';

useDatabase(3);

const merchantId = 'mer_1';
const batches = () => database.dueBatch.findMany({ where: { merchantId } });
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
  await splitOrPark(database, { merchantId, batchId: id, orders: 1 }, 'a defect');
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

describe('The row of parked orders', () => {
  it('has the requests of its orders only, however often they are parked and decided', async () => {
    await park('o1', 1);
    await park('o2', 2);
    for (let version = 3; version < 6; version += 1) await park('o1', version);
    expect(await batches()).toMatchObject([
      { orderIds: ['o1', 'o2'], orderVersions: [5n, 2n], requests: [requestOf(2), requestOf(5)] },
    ]);
    await decide('o1', 6);
    await unparkDecided(database);
    expect(await batches()).toMatchObject([
      { orderIds: ['o2'], orderVersions: [2n], requests: [requestOf(2)] },
    ]);
  });

  it('loses an order whose newer version was decided, although another order was parked after the decision', async () => {
    await park('o1', 1);
    await decide('o1', 2);
    await park('o2', 3);
    await unparkDecided(database);
    expect(await batches()).toMatchObject([{ orderIds: ['o2'], orderVersions: [3n] }]);
  });

  it('keeps an order that was decided, and was parked again with its next version', async () => {
    await park('o1', 1);
    await decide('o1', 2);
    await park('o1', 3);
    await unparkDecided(database);
    expect(await batches()).toMatchObject([{ orderIds: ['o1'], orderVersions: [3n] }]);
  });

  it('keeps an order that is parked again while decided orders are looked for', async () => {
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
