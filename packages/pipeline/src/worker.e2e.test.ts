import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts, waitFor } from '@rewardhook/testing';
import { startRedis } from '@rewardhook/testing/servers';
import { testLog } from './fixtures/test-log.ts';
import { openProducer, openQueue } from './queues.ts';
import { connectWorker, disconnect } from './redis.ts';
import { startWorker } from './worker.ts';

/** Starts a worker on a queue of its own, with a producer. */
function openTestWorker(url: string, handle: (endpointId: string) => Promise<unknown>) {
  const prefix = `{worker-${process.pid}-${Math.random()}}`;
  const producing = connectWorker(url, testLog);
  const working = connectWorker(url, testLog);
  const outcomes: string[] = [];
  const worker = startWorker({
    stage: 'webhook-delivery',
    redis: working,
    prefix,
    concurrency: 4,
    handle: ({ endpointId }) => handle(endpointId),
    log: testLog,
    observe: ({ outcome }) => outcomes.push(outcome),
    onStuck: () => undefined,
  });
  const producer = openProducer('webhook-delivery', producing, prefix);
  const queue = openQueue('webhook-delivery', producing, prefix);
  return {
    queue,
    outcomes,
    /** Bytes that Redis stores for the queue. */
    keptBytes: async () => {
      const keys = await producing.keys(`${prefix}:*`);
      const sizes = await Promise.all(keys.map((key) => producing.memory('USAGE', key, 'SAMPLES', 0)));
      return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
    },
    enqueue: async (...endpointIds: string[]) => {
      await waitFor(() => producing.status === 'ready', { deadlineMs: 10_000 });
      await producer.enqueue(endpointIds.map((endpointId) => ({ merchantId: 'm', endpointId })));
    },
    async close() {
      await worker.close();
      await producer.close();
      await queue.close();
      await disconnect(producing);
      await disconnect(working);
    },
  };
}

describe('startWorker', () => {
  const url = process.env['TEST_REDIS_URL'] as string;

  it('A job that is enqueued many times while it waits runs once, and once more when it is enqueued while it runs', async () => {
    const runs: string[] = [];
    let finish = () => {};
    const held = new Promise<void>((resolve) => (finish = resolve));
    const queue = openTestWorker(url, async (endpointId) => {
      runs.push(endpointId);
      await held;
    });
    await queue.enqueue('a');
    await waitFor(() => runs.length === 1, { deadlineMs: 10_000 });
    await queue.enqueue('a');
    await queue.enqueue('a', 'a');
    finish();
    await waitFor(() => queue.outcomes.length === 2, { deadlineMs: 10_000 });
    expect(runs).toEqual(['a', 'a']);
    await queue.close();
  });

  it('A failed job is retried', async () => {
    let tries = 0;
    const queue = openTestWorker(url, async () => {
      tries += 1;
      if (tries === 1) throw new Error('not yet');
    });
    await queue.enqueue('a');
    await waitFor(() => queue.outcomes.length === 2, { deadlineMs: 10_000 });
    expect(queue.outcomes).toEqual(['failed', 'completed']);
    await queue.close();
  });

  it('A job of another format is neither handled nor retried, and is kept among the failed jobs', async () => {
    const queue = openTestWorker(url, async () => {});
    await queue.enqueue('a');
    const newer = { v: 2, merchantId: 'm', endpointId: 'b' };
    await queue.queue.add('webhook-delivery', newer);
    await waitFor(() => queue.outcomes.length === 2, { deadlineMs: 10_000 });
    expect(queue.outcomes.toSorted()).toEqual(['completed', 'failed']);
    await waitFor(async () => (await queue.queue.getFailedCount()) === 1);
    const [failed] = await queue.queue.getFailed();
    expect(failed).toMatchObject({ data: newer, attemptsMade: 1 });
    expect(failed?.failedReason).toContain('another format');
    await queue.close();
  });

  it('Long error messages of failed jobs take little memory in Redis', async () => {
    const queue = openTestWorker(url, async () => {
      throw new Error(`no ${'x'.repeat(200_000)}`);
    });
    await queue.enqueue('a');
    await waitFor(() => queue.outcomes.length === 3, { deadlineMs: 10_000 });
    expect(await queue.keptBytes()).toBeLessThan(30_000);
    await queue.close();
  });

  it('A worker continues without a restart after Redis was down for more than 6 seconds', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'rewardhook-outage-'));
    const [port] = (await freePorts(1)) as [number];
    let redis = await startRedis({ dir, port });
    const runs: string[] = [];
    const queue = openTestWorker(redis.url, async (endpointId) => void runs.push(endpointId));
    await queue.enqueue('before');
    await waitFor(() => runs.length === 1, { deadlineMs: 10_000 });
    await redis.stop();
    // bullmq#4585: an outage of this length left the workers of some versions idle forever.
    const outageEnds = Date.now() + 7_000;
    await waitFor(() => Date.now() > outageEnds, { deadlineMs: 10_000, everyMs: 500 });
    redis = await startRedis({ dir, port });
    await queue.enqueue('after');
    await waitFor(() => runs.includes('after'), { deadlineMs: 15_000 });
    await queue.close();
    await redis.stop();
    rmSync(dir, { recursive: true });
  });
});
