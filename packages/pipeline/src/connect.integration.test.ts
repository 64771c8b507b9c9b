import { waitFor } from '@rewardhook/testing';
import { openCleanup } from '../../../tests/harness/cleanup.ts';
import { testContext } from '../../../tests/harness/test-context.ts';
import { connectQueues } from './connect.ts';

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
