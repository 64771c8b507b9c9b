import { buildOrder, waitFor } from '@rewardhook/testing';
import { waitForLocks } from '../../../packages/database/src/fixtures/wait-for-locks.ts';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import { startPrivateRedis } from '../../../tests/harness/private-redis.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import type { PrivateRedis } from '../../../tests/harness/private-redis.ts';

describe('While Redis takes no writes for 2.5 s, as with a slow disk', () => {
  let redis: PrivateRedis;
  let flow: Flow;
  beforeAll(async () => {
    redis = await startPrivateRedis();
    flow = await startFlow({ redisUrl: redis.url });
  });
  afterAll(async () => {
    await flow.close();
    await redis.remove();
  });

  it('An order that is stored meanwhile is evaluated when Redis is back, and does not wait for the sweeper', async () => {
    const merchant = await flow.openMerchant();
    await flow.link(merchant, 'anna', 'ben');
    await flow.database.$transaction(async (tx) => {
      await tx.$executeRaw`LOCK TABLE orders`;
      await flow.sync(merchant, buildOrder({ member_id: 'ben' }));
      await waitForLocks(flow.database, 1, 'store_orders');
      await redis.send('CLIENT', 'PAUSE', 2_500, 'WRITE');
    });
    const decided = () => flow.database.decision.count({ where: { merchantId: merchant.id } });
    // The sweeper enqueues what has waited for 15 s.
    await waitFor(async () => (await decided()) === 1, { deadlineMs: 10_000, what: 'the decision' });
  });
});
