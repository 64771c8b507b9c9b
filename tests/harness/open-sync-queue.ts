import { connectWorker, disconnect, openQueues } from '@rewardhook/pipeline';
import { waitFor } from '@rewardhook/testing';
import type { Cleanup } from './cleanup.ts';
import type { TestEnvironment } from './start-api.ts';
import { testLog } from './test-log.ts';

/** Opens the queue `sync`, until the clean-up. Its connection is ready. */
export async function openSyncQueue(
  { redisUrl, prefix }: Pick<TestEnvironment, 'redisUrl' | 'prefix'>,
  cleanup: Cleanup,
): Promise<ReturnType<typeof openQueues>[number]> {
  const redis = connectWorker(redisUrl, testLog);
  cleanup.add(() => disconnect(redis));
  const [sync] = openQueues(redis, prefix, 1, ['sync']);
  if (!sync) throw new Error('there is no queue sync');
  cleanup.add(() => sync.close());
  await waitFor(() => redis.status === 'ready', { everyMs: 5 });
  return sync;
}
