import { connectWorker, disconnect, openQueues } from '@rewardhook/pipeline';
import { waitFor } from '@rewardhook/testing';
import { waitForLocks } from '../../packages/database/src/fixtures/wait-for-locks.ts';
import { startFlow } from '../harness/start-flow.ts';
import { startWorkers } from '../harness/start-workers.ts';
import { testLog } from '../harness/test-log.ts';
import type { Flow } from '../harness/start-flow.ts';

describe('A worker process that ends', () => {
  let flow: Flow;
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
  });
  afterAll(() => flow.close());

  it.each([
    { stage: 'reward-evaluation', table: 'rewards' },
    { stage: 'webhook-delivery', table: 'replays' },
  ] as const)(
    'The process of $stage takes no more jobs while one of its sweepers waits for a lock on $table',
    async ({ stage, table }) => {
      const { environment, database } = flow;
      const redis = connectWorker(environment.redisUrl, testLog);
      const queues = openQueues(redis, environment.prefix, 1, [stage]);
      const takeJobs = async () => {
        const counts = await Promise.all(queues.map((queue) => queue.getWorkersCount()));
        return counts.some((count) => count > 0);
      };
      const workers = await startWorkers(environment, { stages: [stage] });
      let ended = Promise.resolve();
      try {
        await waitFor(takeJobs, { what: 'the workers' });
        await database.$transaction(async (tx) => {
          await tx.$executeRawUnsafe(`LOCK TABLE ${table}`);
          await waitForLocks(database, 1);
          ended = workers.close();
          // The sweeper gives up after 10 s.
          await waitFor(async () => !(await takeJobs()), {
            deadlineMs: 5_000,
            what: 'the end of the workers',
          });
        });
      } finally {
        await ended;
        await Promise.all(queues.map((queue) => queue.close()));
        await disconnect(redis);
      }
    },
  );
});
