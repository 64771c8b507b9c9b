import { connectWorker, disconnect, checkPipeline, parseExpectedProcesses } from '@rewardhook/pipeline';
import type { Redis } from '@rewardhook/pipeline';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import { testLog } from '../../../../tests/harness/test-log.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';

let flow: Flow;
let redis: Redis;
beforeAll(async () => {
  flow = await startFlow({ workers: false });
  redis = connectWorker(flow.environment.redisUrl, testLog);
  await waitFor(() => redis.status === 'ready', { everyMs: 5 });
});
afterAll(async () => {
  await disconnect(redis);
  await flow.close();
});

const missing = async (list: string) => {
  const expected = parseExpectedProcesses(list);
  const { faults, processesMissing } = await checkPipeline(redis, flow.environment.prefix, {
    secretsKeys: [],
    expected,
  });
  expect(faults.processesMissing).toBe(processesMissing.length);
  return processesMissing;
};

jest.setTimeout(60_000);

describe('Expected processes', () => {
  it('that never ran are missing on a new site, without any work that waits', async () => {
    expect(await missing('sync,console')).toEqual(['sync', 'console']);
    expect(await missing('sync:0,console:0')).toEqual([]);
  });

  it('that may scale to zero are missing when their work waits', async () => {
    const merchant = await flow.openMerchant();
    await flow.sync(merchant, buildOrder());
    await waitFor(async () => (await missing('sync:0')).length > 0, {
      deadlineMs: 30_000,
      everyMs: 500,
      what: 'the order to wait for longer than a worker takes',
    });
    expect(await missing('sync:0')).toEqual(['sync']);
  });
});
