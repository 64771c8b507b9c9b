import { Queue, Worker } from 'bullmq';
import { waitFor } from '@rewardhook/testing';
import { connectWorker, disconnect } from './redis.ts';
import type { Redis } from './redis.ts';
import { watchProgress } from './watch-progress.ts';

const silent = { info() {}, warn() {}, error() {} };
const later = async (ms: number) => {
  const end = performance.now() + ms;
  await waitFor(() => performance.now() > end, { everyMs: 5 });
};

describe('the check of a worker that takes no job', () => {
  let redis: Redis;
  let queue: Queue;
  let deaf: Worker;
  beforeEach(async () => {
    redis = connectWorker(process.env['TEST_REDIS_URL'] as string, silent);
    const options = { connection: redis, prefix: `{progress-${process.pid}-${Math.random()}}` };
    queue = new Queue('deaf', options);
    deaf = new Worker('deaf', async () => undefined, { ...options, autorun: false });
    await queue.add('job', {});
  });
  afterEach(async () => {
    await deaf.close();
    await queue.obliterate();
    await queue.close();
    await disconnect(redis);
  });

  it('tells so once', async () => {
    const reasons: string[] = [];
    const progress = watchProgress(deaf, queue, (reason) => reasons.push(reason), { everyMs: 5, checks: 2 });
    await waitFor(() => reasons.length > 0, { everyMs: 5 });
    await later(50);
    progress.close();
    expect(reasons).toEqual(['1 jobs wait in deaf and none was taken for 0 s']);
  });

  it('does not count the time for which the process was frozen', async () => {
    const reasons: string[] = [];
    const progress = watchProgress(deaf, queue, (reason) => reasons.push(reason), {
      everyMs: 20,
      checks: 20,
    });
    await later(50);
    // As long as it would take, and more, in which nothing of this process runs.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
    await later(60);
    progress.close();
    expect(reasons).toEqual([]);
  });
});
