import { countPromises } from '@rewardhook/database/operations';
import { connectProducer, disconnect, parseExpectedProcesses } from '@rewardhook/pipeline';
import { waitFor } from '@rewardhook/testing';
import { openProblemFinder } from '../../apps/housekeeping/src/find-problems.ts';
import type { Cleanup } from './cleanup.ts';
import type { Flow } from './start-flow.ts';
import { testLog } from './test-log.ts';

/**
 * Returns a function that counts promises and looks for problems as housekeeping does, until the clean-up. The search is a new one each
 * time, so that it includes what is looked for once an hour. With `count: false` the promises stay as they were counted before.
 */
export async function openProblemSearch(
  { environment, database }: Pick<Flow, 'environment' | 'database'>,
  cleanup: Cleanup,
): Promise<(options?: { count?: boolean }) => Promise<void>> {
  const redis = connectProducer(environment.redisUrl, testLog);
  cleanup.add(() => disconnect(redis));
  await waitFor(() => redis.status === 'ready', { everyMs: 5 });
  const expected = parseExpectedProcesses('api:0');
  return async ({ count = true } = {}) => {
    if (count) await countPromises(database);
    await openProblemFinder({ database, redis, prefix: environment.prefix, expected })(
      new AbortController().signal,
    );
  };
}
