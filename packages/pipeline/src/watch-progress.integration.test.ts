import { Queue, Worker } from 'bullmq';
import type { Job } from 'bullmq';
import { waitFor } from '@rewardhook/testing';
import { testLog } from './fixtures/test-log.ts';
import { connectWorker, disconnect } from './redis.ts';
import type { Redis } from './redis.ts';
import { watchProgress } from './watch-progress.ts';

const waitMs = async (ms: number) => {
  const end = performance.now() + ms;
  await waitFor(() => performance.now() > end, { everyMs: 5 });
};

describe('watchProgress', () => {
  let redis: Redis;
  let queue: Queue;
  let worker: Worker;
  let running = 0;
  beforeEach(async () => {
    redis = connectWorker(process.env['TEST_REDIS_URL'] as string, testLog);
    const options = { connection: redis, prefix: `{progress-${process.pid}-${Math.random()}}` };
    queue = new Queue('idle', options);
    const loseLock = async (job: Job) => {
      running += 1;
      await redis.del(queue.toKey(`${job.id}:lock`));
      running -= 1;
    };
    worker = new Worker('idle', loseLock, { ...options, autorun: false });
    await queue.add('job', {});
  });
  afterEach(async () => {
    await worker.close();
    await queue.obliterate({ force: true });
    await queue.close();
    await disconnect(redis);
  });

  it('A worker that takes no job is reported once', async () => {
    const reasons: string[] = [];
    const progress = watchProgress(
      worker,
      () => running,
      queue,
      (reason) => reasons.push(reason),
      {
        intervalMs: 5,
        checks: 2,
      },
    );
    await waitFor(() => reasons.length > 0, { everyMs: 5 });
    await waitMs(50);
    progress.close();
    expect(reasons).toEqual(['1 jobs are waiting in idle and none was taken for 0 s']);
  });

  it('A worker that takes no job is reported also after a job has lost its lock', async () => {
    const reasons: string[] = [];
    const errors: string[] = [];
    worker.on('error', ({ message }) => errors.push(message));
    const progress = watchProgress(
      worker,
      () => running,
      queue,
      (reason) => reasons.push(reason),
      {
        intervalMs: 5,
        checks: 2,
      },
    );
    void worker.run();
    await waitFor(() => errors.some((message) => message.startsWith('Missing lock')), { everyMs: 5 });
    // A closed worker takes no further job.
    await worker.close();
    await queue.add('job', {});
    await waitFor(() => reasons.length > 0, { everyMs: 5 });
    progress.close();
    expect(reasons).toEqual(['1 jobs are waiting in idle and none was taken for 0 s']);
  });

  it('The time during which the process was frozen does not count', async () => {
    const reasons: string[] = [];
    const progress = watchProgress(
      worker,
      () => running,
      queue,
      (reason) => reasons.push(reason),
      {
        intervalMs: 20,
        checks: 20,
      },
    );
    await waitMs(50);
    // Longer than all checks take together. Nothing else in this process runs during that time.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
    await waitMs(60);
    progress.close();
    expect(reasons).toEqual([]);
  });
});
