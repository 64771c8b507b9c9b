import { waitFor } from '@rewardhook/testing';
import { testLog } from './fixtures/test-log.ts';
import { compressOrders } from './compressed-orders.ts';
import { writeOrdersPayload } from './job-payload.ts';
import { openTextQueue } from './queues.ts';
import { connectWorker, disconnect } from './redis.ts';
import { startWorker } from './worker.ts';

const url = process.env['TEST_REDIS_URL'] as string;

describe('A worker that starts while many jobs wait', () => {
  const producing = connectWorker(url, testLog);
  const working = connectWorker(url, testLog);
  beforeAll(() => waitFor(() => producing.status === 'ready' && working.status === 'ready', { everyMs: 5 }));
  afterAll(() => Promise.all([disconnect(producing), disconnect(working)]));

  it('runs the first job before it has taken the others, and then as many at a time as its concurrency allows', async () => {
    const prefix = `{prompt-${process.pid}}`;
    const queue = openTextQueue(producing, prefix);
    for (let version = 1; version <= 30; version += 1)
      await queue.add(
        'sync',
        writeOrdersPayload(
          { merchantId: 'mer_1', version, count: 1 },
          compressOrders({ orders: 1, pieces: [Buffer.from('[]')] }),
        ),
      );
    let active: number | undefined;
    let running = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const worker = startWorker({
      stage: 'sync',
      redis: working,
      prefix,
      concurrency: 20,
      async handle() {
        running += 1;
        if (running === 1) {
          // No further job is taken from here on, except the one that is being taken now.
          await queue.pause();
          active = await queue.getActiveCount();
          await queue.resume();
        }
        await released;
      },
      log: testLog,
      observe: () => undefined,
      onStuck: () => undefined,
    });
    try {
      await waitFor(() => running === 20 && active !== undefined, {
        deadlineMs: 10_000,
        what: 'as many jobs as run at a time',
      });
      expect(active).toBeLessThan(10);
      expect(await queue.getActiveCount()).toBe(20);
      release();
      await waitFor(async () => (await queue.getJobCountByTypes('active', 'waiting', 'prioritized')) === 0);
      expect(running).toBe(30);
    } finally {
      release();
      await worker.close();
      await queue.obliterate({ force: true });
      await queue.close();
    }
  });
});
