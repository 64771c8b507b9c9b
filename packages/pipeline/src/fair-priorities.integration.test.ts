import { readFileSync } from 'node:fs';
import { Worker } from 'bullmq';
import fc from 'fast-check';
import { propertyCases } from '@rewardhook/testing/property-cases';
import { lastPriority, openFairPriorities, weightPerStep, TooManyWaiting } from './fair-priorities.ts';
import { testLog } from './fixtures/test-log.ts';
import { openProducer, openQueue } from './queues.ts';
import { connectWorker, disconnect } from './redis.ts';

const url = process.env['TEST_REDIS_URL'] as string;
const redis = connectWorker(url, testLog);
const working = connectWorker(url, testLog);
let opened = 0;

beforeAll(() => new Promise<void>((resolve) => void redis.once('ready', resolve)));
afterAll(() => Promise.all([disconnect(redis), disconnect(working)]));

/** A queue whose jobs are taken one at a time. */
function openFairQueue(limit = 0) {
  const prefix = `{fair-${process.pid}-${(opened += 1)}}`;
  const queue = openQueue('sync', redis, prefix);
  const priorities = openFairPriorities(redis, queue, limit);
  const worker = new Worker('sync', undefined, { connection: working, prefix, skipVersionCheck: true });
  return {
    queue,
    priorities,
    finishTimes: queue.toKey('fair:finish-times'),
    async send(merchantId: string, ...orders: number[]): Promise<number[]> {
      const assigned: number[] = [];
      for (const weight of orders) {
        const [priority] = await priorities.assign([{ merchantId, weight }]);
        if (typeof priority !== 'number') throw priority ?? new Error('no answer');
        await queue.add('sync', { merchantId, orders: weight } as never, { priority });
        assigned.push(priority);
      }
      return assigned;
    },
    /** Takes the next job and completes it; undefined when none waits. */
    async take(): Promise<{ merchantId: string; orders: number } | undefined> {
      const job = await worker.getNextJob('token', { block: false });
      await job?.moveToCompleted('', 'token', false);
      return job?.data as { merchantId: string; orders: number } | undefined;
    },
    async close() {
      await worker.close();
      await queue.close();
    },
  };
}

it('BullMQ has the layout of priorities that the script reads: check it before this version is changed', async () => {
  const { version } = JSON.parse(readFileSync(require.resolve('bullmq/package.json'), 'utf8')) as {
    version: string;
  };
  expect(version).toBe('6.7.0');
  const { queue, close } = openFairQueue();
  await queue.add('sync', {} as never, { priority: 7 });
  await queue.add('sync', {} as never, { priority: lastPriority });
  const scores = await redis.zrange(queue.toKey('prioritized'), '0', '-1', 'WITHSCORES');
  expect([scores[1], scores[3]].map((score) => Math.floor(Number(score) / 2 ** 32))).toEqual([
    7,
    lastPriority,
  ]);
  await close();
});

describe('openFairPriorities', () => {
  it('The few orders of a merchant with nothing waiting run before what others have waiting', async () => {
    const fair = openFairQueue();
    for (let sent = 0; sent < 10; sent += 1) await fair.send('flood', 250, 250, 250, 250);
    for (let taken = 0; taken < 7; taken += 1) await fair.take();
    await fair.send('few', 1);
    expect(await fair.take()).toEqual({ merchantId: 'few', orders: 1 });
    await fair.send('few', 1);
    expect(await fair.take()).toEqual({ merchantId: 'few', orders: 1 });
    await fair.close();
  });

  it('Merchants that have orders waiting get equal shares whatever their requests, and every job runs once', async () => {
    const mostOrders = 300;
    const steps = fc.array(
      fc.oneof(
        {
          weight: 1,
          arbitrary: fc.record({
            of: fc.nat(3),
            jobs: fc.array(fc.integer({ min: 1, max: mostOrders }), { minLength: 1, maxLength: 6 }),
          }),
        },
        { weight: 2, arbitrary: fc.constant('take' as const) },
      ),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const fair = openFairQueue();
        const waiting = new Map<string, number>();
        /** Orders done of each merchant since both of a pair have had something waiting. */
        const done = new Map<string, Map<string, number>>();
        const take = async () => {
          const job = await fair.take();
          const total = [...waiting.values()].reduce((sum, jobs) => sum + jobs, 0);
          if (!job) return void expect(total).toBe(0);
          waiting.set(job.merchantId, (waiting.get(job.merchantId) ?? 0) - 1);
          for (const [merchantId, jobs] of waiting) {
            const pair = [merchantId, job.merchantId].toSorted().join();
            if (jobs <= 0 || merchantId === job.merchantId) continue;
            const counts = done.get(pair) ?? new Map<string, number>();
            counts.set(job.merchantId, (counts.get(job.merchantId) ?? 0) + job.orders);
            done.set(pair, counts);
            const ahead = Math.abs((counts.get(merchantId) ?? 0) - (counts.get(job.merchantId) ?? 0));
            // A job of each, and what the steps of priority round.
            expect(ahead).toBeLessThanOrEqual(2 * mostOrders + 3 * weightPerStep);
          }
          if ((waiting.get(job.merchantId) ?? 0) > 0) return;
          for (const pair of done.keys()) if (pair.split(',').includes(job.merchantId)) done.delete(pair);
        };
        for (const step of sequence) {
          if (step === 'take') await take();
          else {
            await fair.send(`m${step.of}`, ...step.jobs);
            waiting.set(`m${step.of}`, (waiting.get(`m${step.of}`) ?? 0) + step.jobs.length);
          }
        }
        while ([...waiting.values()].some((jobs) => jobs > 0)) await take();
        expect(await fair.take()).toBeUndefined();
        await fair.close();
      }),
      { numRuns: propertyCases(20) },
    );
  });

  it('When nothing waits, every merchant starts again at the first priority', async () => {
    const fair = openFairQueue();
    await fair.send('a', ...Array.from({ length: 8 }, () => 250));
    while (await fair.take());
    expect(await fair.send('b', 1)).toEqual([1]);
    expect(await redis.exists(fair.finishTimes)).toBe(0);
    expect(await fair.send('a', 1)).toEqual([1]);
    expect((await redis.zrange(fair.finishTimes, 0, '-1')).toSorted()).toEqual(['a', 'now']);
    await fair.close();
  });

  it('The finish time of a merchant that has nothing waiting is forgotten while others have', async () => {
    const fair = openFairQueue();
    await fair.send('few', 1);
    await fair.send('flood', ...Array.from({ length: 8 }, () => 250));
    for (let taken = 0; taken < 4; taken += 1) await fair.take();
    await fair.send('flood', 1);
    expect(await redis.zrange(fair.finishTimes, 0, '-1')).toEqual(['now', 'flood']);
    await fair.close();
  });

  it('Beyond the greatest priority jobs run in the order of their arrival, until nothing waits', async () => {
    const fair = openFairQueue();
    await fair.queue.add('sync', { merchantId: 'first', orders: 1 } as never, { priority: lastPriority - 1 });
    await redis.zadd(fair.finishTimes, lastPriority * weightPerStep - 50, 'late');
    expect(await fair.send('late', 250, 250)).toEqual([lastPriority, lastPriority]);
    expect(await fair.take()).toMatchObject({ merchantId: 'first' });
    expect(await fair.send('other', 250)).toEqual([lastPriority]);
    expect((await fair.take())?.merchantId).toBe('late');
    expect((await fair.take())?.merchantId).toBe('late');
    expect((await fair.take())?.merchantId).toBe('other');
    expect(await fair.send('other', 1)).toEqual([1]);
    await fair.close();
  });

  it('A merchant may have orders waiting up to the limit, and more when some of them are done', async () => {
    const fair = openFairQueue(1_000);
    // One request may always be sent when nothing waits.
    await fair.send('other', 5_000);
    await fair.send('a', 250, 250, 250);
    await expect(fair.send('a', 400)).rejects.toBeInstanceOf(TooManyWaiting);
    await fair.send('b', 250);
    while ((await fair.take())?.merchantId !== 'a');
    while ((await fair.take())?.merchantId !== 'a');
    await fair.send('a', 400);
    await fair.close();
  });

  it('A job that may be in the queue already takes nothing from the share of its merchant', async () => {
    const fair = openFairQueue();
    await fair.send('a', 250, 250);
    const again = { merchantId: 'a', weight: 250 };
    const [first] = await fair.priorities.assignAgain([again]);
    expect(await fair.priorities.assignAgain([again, again])).toEqual([first, expect.any(Number)]);
    expect(await fair.send('a', 250)).toEqual([first]);
    await fair.close();
  });
});

describe('openProducer', () => {
  const batch = (merchantId: string, orders: number) => ({
    merchantId,
    batchId: crypto.randomUUID(),
    orders,
  });

  it('A batch of a merchant is evaluated before the batches that another had enqueued earlier', async () => {
    const prefix = `{fair-${process.pid}-batches}`;
    const producer = openProducer('reward-evaluation', redis, prefix);
    await producer.enqueue(Array.from({ length: 500 }, () => batch('flood', 100)));
    await producer.enqueue([batch('few', 1)]);
    const worker = new Worker('reward-evaluation', undefined, {
      connection: working,
      prefix,
      skipVersionCheck: true,
    });
    const next: (string | undefined)[] = [];
    while (next.length < 2) {
      const job = await worker.getNextJob('token', { block: false });
      next.push((job?.data as { merchantId: string } | undefined)?.merchantId);
    }
    expect(next).toContain('few');
    await worker.close();
    await producer.close();
  });
});
