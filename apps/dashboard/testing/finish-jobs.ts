import { connectWorker, disconnect, startWorker } from '@rewardhook/pipeline';
import type { Stage } from '@rewardhook/pipeline';
import { waitFor } from '@rewardhook/testing';
import { silent } from './open-dashboard.ts';
import type { TestDashboard } from './open-dashboard.ts';

/** Processes the jobs of a queue until none waits, all with the same result; an `Error` is thrown. */
export async function finishJobs(
  dashboard: TestDashboard,
  outcome: unknown,
  stage: Stage = 'webhook-delivery',
): Promise<void> {
  const redis = connectWorker(process.env['TEST_REDIS_URL'] as string, silent);
  const worker = startWorker({
    stage,
    redis,
    prefix: dashboard.prefix,
    concurrency: 1,
    handle: async () => {
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    log: silent,
    observe: () => undefined,
    onStuck: () => undefined,
  });
  const queue = dashboard.queue(stage);
  const left = async () => {
    const counts = await queue.getJobCounts('waiting', 'prioritized', 'active');
    return Object.values(counts).reduce((sum, count) => sum + count, 0);
  };
  await waitFor(async () => (await left()) === 0, { what: 'the end of the jobs' });
  await worker.close();
  await disconnect(redis);
}
