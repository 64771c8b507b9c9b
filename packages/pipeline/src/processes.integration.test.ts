import { Queue, Worker } from 'bullmq';
import type { Job } from 'bullmq';
import { openProcessStatus } from '@rewardhook/process';
import type { ProcessStatus } from '@rewardhook/process';
import { waitFor } from '@rewardhook/testing';
import { testLog } from './fixtures/test-log.ts';
import { anyInstallation } from './installation.ts';
import { hasWrongKey, isLate, readHeartbeats, readLastSeen, startHeartbeat } from './heartbeats.ts';
import { connectWorker, disconnect } from './redis.ts';
import type { Redis } from './redis.ts';
import { watchProgress } from './watch-progress.ts';

describe('Heartbeats', () => {
  let redis: Redis;
  let prefix: string;
  beforeAll(async () => {
    redis = connectWorker(process.env['TEST_REDIS_URL'] as string, testLog);
    await waitFor(() => redis.status === 'ready', { everyMs: 5 });
  });
  afterAll(() => disconnect(redis));
  beforeEach(() => {
    prefix = `{beats-${process.pid}-${Math.random()}}`;
  });

  /** Starts the heartbeat of a process. `stop` is its clean end. */
  function start(name: string, changes: Partial<ProcessStatus> = {}) {
    const status = { ...openProcessStatus(name), ...changes };
    const closing: (() => unknown)[] = [];
    const context = {
      log: testLog as never,
      status,
      release: (_name: string, close: () => unknown) => void closing.push(close),
    };
    const heartbeat = startHeartbeat(redis, prefix, context, anyInstallation);
    const stop = async () => {
      for (const close of closing) await close();
    };
    return { status, heartbeat, stop };
  }
  const read = () => readHeartbeats(redis, prefix);
  const ids = async () => (await read()).map(({ id }) => id).join();
  /** Makes the heartbeats older, as if their processes were frozen. */
  const age = async (ms: number) => {
    const key = `${prefix}:heartbeats`;
    for (const [id, text] of Object.entries(await redis.hgetall(key))) {
      const stored = JSON.parse(text) as { beatAt: number };
      await redis.hset(key, id, JSON.stringify({ ...stored, beatAt: stored.beatAt - ms }));
    }
  };
  const written = async (count: number) =>
    waitFor(async () => (await read()).length === count, { everyMs: 5 });

  it('A running process has a heartbeat with its name, host and version, and none after a clean end', async () => {
    const { status, stop, heartbeat } = start('sync');
    await written(1);
    const [beat] = await read();
    expect(beat).toMatchObject({ ...status, ended: false });
    expect(beat && isLate(beat)).toBe(false);
    const isHealthy = async () => {
      heartbeat.check();
      return true;
    };
    await waitFor(isHealthy, { everyMs: 5 });
    await stop();
    expect(await read()).toEqual([]);
    const lastSeen = await readLastSeen(redis, prefix);
    expect([...lastSeen.keys()]).toEqual(['sync']);
    expect(lastSeen.get('sync')).toBeLessThan(60);
  });

  it('A heartbeat that is not renewed is late, and is forgotten after an hour by the next process that writes', async () => {
    const frozen = start('sync');
    await written(1);
    await age(30_000);
    const [late] = await read();
    expect(late && isLate(late)).toBe(true);
    await age(3_600_000);
    const other = start('sync');
    await waitFor(async () => (await ids()) === other.status.id, { everyMs: 5 });
    await Promise.all([frozen.stop(), other.stop()]);
  });

  it('A process that ends because of a wrong key leaves the reason, until one is started after it on its host', async () => {
    const first = start('webhook-delivery', { secretsKeys: ['aaa'] });
    await written(1);
    first.status.problem = 'wrong_key';
    await first.stop();
    const [ended] = await read();
    expect(ended).toMatchObject({ ended: true, problem: 'wrong_key' });
    expect(ended && hasWrongKey(ended)).toBe(true);
    expect(ended && isLate(ended)).toBe(false);
    const second = start('webhook-delivery', { secretsKeys: ['bbb'] });
    await waitFor(async () => (await ids()) === second.status.id, { everyMs: 5 });
    expect((await read()).map((one) => hasWrongKey(one, 'bbb'))).toEqual([false]);
    expect((await read()).map((one) => hasWrongKey(one, 'ccc'))).toEqual([true]);
    await second.stop();
  });
});

describe('watchProgress', () => {
  const waitMs = async (ms: number) => {
    const end = performance.now() + ms;
    await waitFor(() => performance.now() > end, { everyMs: 5 });
  };

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

  /** Watches the worker, and collects the reports. */
  const watch = (options: { intervalMs: number; checks: number }) => {
    const reasons: string[] = [];
    const report = (reason: string) => reasons.push(reason);
    return { reasons, progress: watchProgress(worker, () => running, queue, report, options) };
  };

  it('A worker that takes no job is reported once', async () => {
    const { reasons, progress } = watch({ intervalMs: 5, checks: 2 });
    await waitFor(() => reasons.length > 0, { everyMs: 5 });
    await waitMs(50);
    progress.close();
    expect(reasons).toEqual(['1 jobs are waiting in idle and none was taken for 0 s']);
  });

  it('A worker that takes no job is reported also after a job has lost its lock', async () => {
    const errors: string[] = [];
    worker.on('error', ({ message }) => errors.push(message));
    const { reasons, progress } = watch({ intervalMs: 5, checks: 2 });
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
    const { reasons, progress } = watch({ intervalMs: 20, checks: 20 });
    await waitMs(50);
    // Longer than all checks take together. Nothing else in this process runs during that time.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
    await waitMs(60);
    progress.close();
    expect(reasons).toEqual([]);
  });
});
