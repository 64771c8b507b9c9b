import { defaultTerms } from '@rewardhook/rewards';
import { connectWorker, disconnect, openProducer, openQueues, startWorker } from '@rewardhook/pipeline';
import type { Jobs, Producer } from '@rewardhook/pipeline';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { openScenario } from '../testing/scenario.ts';
import type { Scenario } from '../testing/scenario.ts';
import { testLog } from '../../../tests/harness/test-log.ts';
import { sweepDueOrders } from './sweepers.ts';

const stage = 'reward-evaluation';
const prefix = `{sweepers-${process.pid}}`;

describe('sweepDueOrders', () => {
  const redis = connectWorker(String(process.env['TEST_REDIS_URL']), testLog);
  const queues = openQueues(redis, prefix, 1, [stage]);
  let evaluation: Producer<typeof stage>;
  let scenario: Scenario;
  let merchantId: string;
  beforeAll(async () => {
    scenario = await openScenario();
    evaluation = openProducer(stage, redis, prefix);
  });
  beforeEach(async () => {
    merchantId = await scenario.openMerchant(defaultTerms);
    await scenario.link(merchantId, 'boss', 'ann');
  });
  afterEach(async () => {
    await scenario.settle(merchantId);
    for (const queue of queues) await queue.obliterate({ force: true });
  });
  afterAll(async () => {
    await evaluation.close();
    for (const queue of queues) await queue.close();
    await disconnect(redis);
    await scenario.close();
  });

  /** Stores orders. Returns their batch, which has no job. */
  const storeBatch = async (version: number, count: number): Promise<Jobs[typeof stage]> => {
    const orders = Array.from({ length: count }, (_, index) =>
      buildOrder({ order_id: `v${version}-${index}`, member_id: 'ann' }),
    );
    await scenario.store(merchantId, version, orders);
    const batch = await scenario.database.dueBatch.findFirstOrThrow({
      where: { merchantId, orderIds: { has: `v${version}-0` } },
    });
    return { merchantId, batchId: batch.id, orders: count };
  };
  const sweep = (producer = evaluation) => sweepDueOrders(scenario.database, producer, 0);
  const countJobs = async () => {
    const counts = await Promise.all(queues.map((queue) => queue.getJobCountByTypes()));
    return counts.reduce((sum, ofQueue) => sum + ofQueue, 0);
  };

  it('Orders that are due without a job are enqueued and counted once, and those with a waiting job are not counted', async () => {
    await evaluation.enqueue([await storeBatch(1, 1), await storeBatch(2, 30)]);
    await storeBatch(3, 2);
    await storeBatch(4, 40);
    expect(await sweep()).toBe(42);
    expect(await countJobs()).toBe(4);
    expect(await sweep()).toBe(0);
  });

  it('Orders whose job runs or waits for a retry are not counted', async () => {
    let tries = 0;
    let fail = () => {};
    const worker = startWorker({
      stage,
      redis,
      prefix,
      concurrency: 1,
      async handle() {
        tries += 1;
        if (tries === 1) await new Promise<void>((resolve) => (fail = resolve));
        throw new Error('not yet');
      },
      isOutage: () => true,
      log: testLog,
      observe: () => undefined,
      onStuck: () => undefined,
    });
    try {
      await evaluation.enqueue([await storeBatch(1, 1)]);
      await waitFor(() => tries === 1, { what: 'the first try' });
      expect(await sweep()).toBe(0);
      fail();
      await waitFor(() => queues[0]?.getDelayedCount(), { everyMs: 5, what: 'the retry delay' });
      expect(await sweep()).toBe(0);
    } finally {
      fail();
      await worker.close();
    }
  });

  it('Orders that are evaluated during the sweep are not counted', async () => {
    await storeBatch(1, 1);
    const evaluating: Producer<typeof stage> = {
      ...evaluation,
      async findMissing(jobs) {
        await scenario.settle(merchantId);
        return evaluation.findMissing(jobs);
      },
    };
    expect(await sweep(evaluating)).toBe(0);
  });
});
