import { database, useDatabase } from '../fixtures/use-database.ts';
import { splitOrPark, unparkDecided } from './failing-batches.ts';

useDatabase(2);

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

describe('The row of parked orders', () => {
  it('has the requests of its orders only, however often they are parked and decided', async () => {
    await park('o1', 1);
    await park('o2', 2);
    for (let version = 3; version < 6; version += 1) await park('o1', version);
    expect(await batches()).toMatchObject([
      { orderIds: ['o1', 'o2'], orderVersions: [1n, 2n], requests: [requestOf(1), requestOf(2)] },
    ]);
    await database.decision.create({
      data: {
        merchantId,
        orderId: 'o1',
        number: 1,
        orderVersion: 6n,
        memberId: 'ann',
        referralId: 'ref_1',
        programVersion: 1,
        outcome: 'no_reward',
        reason: 'not_paid',
        checks: [],
      },
    });
    await unparkDecided(database);
    expect(await batches()).toMatchObject([
      { orderIds: ['o2'], orderVersions: [2n], requests: [requestOf(2)] },
    ]);
  });
});
