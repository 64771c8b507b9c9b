import { waitFor } from '@rewardhook/testing';
import { testLog } from './fixtures/test-log.ts';
import { compressOrders } from './compressed-orders.ts';
import { writeOrdersPayload } from './job-payload.ts';
import { openTextQueue } from './queues.ts';
import { connectWorker, disconnect } from './redis.ts';
import { startWorker } from './worker.ts';

const url = process.env['TEST_REDIS_URL'] as string;

describe('a worker whose jobs have texts', () => {
  const producing = connectWorker(url, testLog);
  const working = connectWorker(url, testLog);
  beforeAll(() => waitFor(() => producing.status === 'ready' && working.status === 'ready', { everyMs: 5 }));
  afterAll(() => Promise.all([disconnect(producing), disconnect(working)]));

  /** Two workers of one process, as for two shards. Their jobs run until `release`, and each fails once. */
  function openWorkers() {
    let running = 0;
    let release = () => {};
    let released = new Promise<void>((resolve) => (release = resolve));
    const seen = { most: 0, failed: 0, completed: 0 };
    const shards = ['a', 'b'].map((shard) => {
      const prefix = `{text-${process.pid}-${shard}}`;
      const worker = startWorker({
        stage: 'sync',
        redis: working,
        prefix,
        concurrency: 48,
        async handle({ version }) {
          running += 1;
          seen.most = Math.max(seen.most, running);
          await released;
          running -= 1;
          if (failing.delete(version)) throw new Error('fails once');
        },
        isOutage: () => true,
        log: testLog,
        observe: ({ outcome }) => (seen[outcome] += 1),
        onStuck: () => undefined,
      });
      return { worker, queue: openTextQueue(producing, prefix) };
    });
    const failing = new Set<number>();
    let version = 0;
    return {
      seen,
      running: () => running,
      /** Adds `count` jobs of `bytes` bytes to each queue. */
      async add(count: number, bytes: number) {
        for (let index = 0; index < count; index += 1)
          for (const { queue } of shards) {
            version += 1;
            failing.add(version);
            const head = { merchantId: 'mer_1', version, count: 1 };
            await queue.add(
              'sync',
              writeOrdersPayload(
                head,
                compressOrders({ orders: 1, pieces: [Buffer.from(`["${'가'.repeat(bytes / 3)}"]`)] }),
              ),
            );
          }
      },
      addUnreadable: () => Promise.all(shards.map(({ queue }) => queue.add('sync', Buffer.from('Kim')))),
      release: () => release(),
      holdAgain() {
        seen.most = 0;
        released = new Promise((resolve) => (release = resolve));
      },
      async close() {
        for (const { worker, queue } of shards) {
          await worker.close();
          await queue.obliterate({ force: true });
          await queue.close();
        }
      },
    };
  }

  it('takes few jobs at a time while they are large, also when they fail or cannot be read, and many again afterwards', async () => {
    const workers = openWorkers();
    await workers.addUnreadable();
    await workers.add(8, 6_000_000);
    await waitFor(() => workers.running() >= 3, { deadlineMs: 10_000 });
    workers.release();
    await waitFor(() => workers.seen.completed === 16, { deadlineMs: 20_000 });
    expect(workers.seen.failed).toBe(18);
    expect(workers.seen.most).toBeLessThan(10);

    workers.holdAgain();
    await workers.add(48, 300);
    await waitFor(() => workers.running() === 96, { deadlineMs: 10_000 });
    workers.release();
    await waitFor(() => workers.seen.completed === 16 + 96, { deadlineMs: 20_000 });
    await workers.close();
  });
});
