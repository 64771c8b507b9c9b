import { raiseVersionCeiling } from '@rewardhook/database/operations';
import { connectWorker, disconnect, openProducer, openQueues } from '@rewardhook/pipeline';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import { testLog } from '../../../../tests/harness/test-log.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await startFlow({ workers: false });
});
afterAll(() => flow.close());

const doctor = (restoredTo: string) => flow.admin('doctor', { 'after-restore': restoredTo });

describe('doctor --after-restore', () => {
  it('lists what is queued and the rows that jobs refer to and that do not exist, and raises the versions above the stored ones', async () => {
    const { redisUrl, prefix } = flow.environment;
    const merchant = await flow.openMerchant();
    await flow.sync(merchant, buildOrder());
    const redis = connectWorker(redisUrl, testLog);
    await waitFor(() => redis.status === 'ready', { everyMs: 5 });
    const gone = { merchantId: 'mer_gone' };
    const sync = openQueues(redis, prefix, 1, ['sync'])[0]!;
    await sync.add('sync', { v: 1, ...gone, version: 1, count: 1, orders: JSON.stringify([buildOrder()]) });
    // A damaged job does not matter.
    const damaged = await sync.add('sync', {});
    await redis.hset(sync.toKey(String(damaged.id)), 'data', '{"merchantId":"Kim');
    const evaluation = openProducer('reward-evaluation', redis, prefix);
    await evaluation.enqueue([{ ...gone, batchId: crypto.randomUUID(), orders: 1 }]);
    const delivery = openProducer('webhook-delivery', redis, prefix);
    await delivery.enqueue([{ ...gone, endpointId: 'whk_gone' }]);
    const stored = (Date.now() + 3_600_000) * 1_000;
    await raiseVersionCeiling(flow.database, stored);
    await redis.del(`${prefix}:order-version`);

    const report = await doctor('true');
    expect(report).toMatchObject({
      consistent: true,
      missingSince: null,
      ordersStoredSince: null,
      deliveriesPending: 0,
      jobs: {
        requests: 2,
        requestsOfUnknownMerchants: 1,
        unknownMerchants: ['mer_gone'],
        unknownBatches: 1,
        unknownEndpoints: 1,
        more: false,
      },
      versions: { lastInRedis: null },
    });
    const { ceiling, next } = report['versions'] as { ceiling: number; next: number };
    expect(ceiling).toBeGreaterThan(stored);
    expect(next).toBeGreaterThan(ceiling);
    await Promise.all([sync.close(), evaluation.close(), delivery.close()]);
    await disconnect(redis);
  });

  it('takes the moment that was restored, and refuses other texts', async () => {
    const moment = '2026-11-22T03:00:00.000Z';
    const report = await doctor(moment);
    expect(report).toMatchObject({ missingSince: new Date(moment), ordersStoredSince: 0 });
    expect((report['steps'] as string[]).length).toBeGreaterThan(3);
    await expect(doctor('yesterday')).rejects.toThrow('--after-restore must be true, or the restored moment');
  });
});
