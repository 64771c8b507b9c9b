import { waitFor } from '@rewardhook/testing';
import { openCleanup } from '../../../tests/harness/cleanup.ts';
import { testContext } from '../../../tests/harness/test-context.ts';
import type { Redis as SingleRedis } from 'ioredis';
import { connectQueues } from './connect.ts';
import { connectWorker, disconnect } from './redis.ts';
import { testLog } from '../../../tests/harness/test-log.ts';

describe('connectQueues', () => {
  it('The metric of the state of Redis shows that fewer replicas are connected than must have a request', async () => {
    const cleanup = openCleanup();
    const context = testContext('api', cleanup);
    try {
      connectQueues(
        {
          REDIS_URL: String(process.env['TEST_REDIS_URL']),
          QUEUE_PREFIX: `{connect-${process.pid}}`,
          QUEUE_SHARDS: 1,
          REDIS_WAIT_REPLICAS: 1,
        },
        context,
      );
      await waitFor(async () =>
        /^rewardhook_redis_state\{state="under_replicated"\} 1$/m.test(
          await context.metrics.registry.metrics(),
        ),
      );
    } finally {
      await cleanup.run();
    }
  });
});

describe('A connection whose database does not exist', () => {
  const url = new URL(String(process.env['TEST_REDIS_URL']));
  const inFirstDatabase = connectWorker(url.href, testLog);
  url.pathname = '/999';
  const connection = connectWorker(url.href, testLog) as SingleRedis;
  afterAll(() => disconnect(inFirstDatabase));

  it('sends no command to another database, nor does the one that BullMQ makes of it to wait for jobs', async () => {
    const key = `{connect-${process.pid}}:key`;
    for (const refused of [connection, connection.duplicate()]) {
      let times = 0;
      refused.on('error', () => (times += 1));
      refused.set(key, '1').catch(() => undefined);
      await waitFor(() => times >= 3, { what: 'three refused connections' });
      refused.disconnect();
    }
    expect(await inFirstDatabase.exists(key)).toBe(0);
  });
});
