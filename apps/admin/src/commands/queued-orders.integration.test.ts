import { Worker } from 'bullmq';
import { compressOrders, connectWorker, disconnect, listParkedJobs, openQueues } from '@rewardhook/pipeline';
import type { Redis } from '@rewardhook/pipeline';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { openCleanup, testLog } from '../../../../tests/harness/index.ts';
import { countQueuedOrders, removeFinishedOrders } from './queued-orders.ts';

type SyncQueue = ReturnType<typeof openQueues>[number];

const owner = { merchantId: 'mer_1', memberId: 'ann' };
const cleanup = openCleanup();
afterEach(() => cleanup.run());

async function openSync(): Promise<SyncQueue> {
  const redis = connectWorker(String(process.env['TEST_REDIS_URL']), testLog);
  cleanup.add(() => disconnect(redis));
  await waitFor(() => redis.status === 'ready', { everyMs: 5 });
  const queues = openQueues(redis, `{test-${crypto.randomUUID()}}`);
  for (const queue of queues) cleanup.add(() => queue.close());
  const sync = queues.find(({ name }) => name === 'sync');
  if (!sync) throw new Error('there is no queue sync');
  return sync;
}

const jobOf = (member_id: string, opts: { delay?: number } = {}) => ({
  name: 'sync',
  data: { merchantId: owner.merchantId, version: 1, orders: [buildOrder({ member_id })] },
  opts,
});

/** A job whose orders are compressed: every tenth of 100 is of the member. */
const compressedJob = () => {
  const orders = Array.from({ length: 100 }, (_, index) =>
    buildOrder({ member_id: index % 10 === 0 ? owner.memberId : 'bob' }),
  );
  const { bytes, pieces } = compressOrders({ orders: 100, pieces: [Buffer.from(JSON.stringify(orders))] });
  const head = { v: 3, merchantId: owner.merchantId, version: 1, count: 100, bytes };
  return { name: 'sync', data: { ...head, orders: Buffer.concat(pieces).toString() }, opts: { attempts: 1 } };
};

/** Takes all waiting jobs of a queue, and lets them fail. */
async function failJobs(sync: SyncQueue): Promise<void> {
  const worker = new Worker(sync.name, null, {
    connection: sync.opts.connection,
    prefix: sync.opts.prefix ?? '',
  });
  for (let job = await worker.getNextJob('t', { block: false }); job;)
    job = await job
      .moveToFailed(new Error('fails'), 't', true)
      .then(() => worker.getNextJob('t', { block: false }));
  await worker.close();
}

/** The queue. After its first response it runs a callback, which simulates concurrent workers. */
function runAfterFirstRead(sync: SyncQueue, callback: () => Promise<unknown>): SyncQueue {
  let running: Promise<unknown> | undefined;
  return new Proxy(sync, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== 'function') return value;
      return async (...given: unknown[]) => {
        const answer: unknown = await Reflect.apply(value, target, given);
        await (running ??= callback());
        return answer;
      };
    },
  });
}

describe('The queued orders of a member are counted', () => {
  it('while workers remove other jobs from the queue', async () => {
    const sync = await openSync();
    const others = Array.from({ length: 60 }, () => jobOf('bob'));
    const jobs = await sync.addBulk([...others, jobOf('ann'), ...others]);
    const worked = runAfterFirstRead(sync, () => Promise.all(jobs.slice(0, 55).map((job) => job.remove())));
    expect(await countQueuedOrders([worked], owner)).toBe(1);
  });

  it('while a failed job becomes due again', async () => {
    const sync = await openSync();
    const [job] = await sync.addBulk([jobOf('ann', { delay: 600_000 })]);
    expect(await countQueuedOrders([runAfterFirstRead(sync, async () => job?.promote())], owner)).toBe(1);
  });

  it('in a job whose orders are compressed', async () => {
    const sync = await openSync();
    await sync.addBulk([compressedJob(), jobOf('ann')]);
    expect(await countQueuedOrders([sync], owner)).toBe(11);
    expect(await countQueuedOrders([sync], { ...owner, merchantId: 'mer_2' })).toBe(0);
  });

  it.each([
    ['of a newer release', { v: 99 }],
    ['with damaged orders', { v: 3, bytes: 20, orders: 'Kim' }],
  ])('beside a job %s, which cannot be read', async (_what, fields) => {
    const sync = await openSync();
    const unreadable = { name: 'sync', data: { merchantId: owner.merchantId, ...fields } };
    await sync.addBulk([unreadable, jobOf('ann')]);
    expect(await countQueuedOrders([sync], owner)).toBe(1);
  });
});

it('The orders of a member are removed from a failed job whose orders are compressed', async () => {
  const sync = await openSync();
  await sync.addBulk([compressedJob()]);
  await failJobs(sync);
  const parked = await listParkedJobs(sync.opts.connection as Redis, String(sync.opts.prefix), { limit: 10 });
  expect(parked).toMatchObject([{ queue: 'sync', merchantId: owner.merchantId, orders: 100 }]);
  expect(await removeFinishedOrders([sync], owner)).toEqual({ completed: 0, failed: 1 });
  const [job] = await sync.getFailed();
  expect(job?.data).toMatchObject({ v: 2, count: 90 });
  expect(JSON.stringify(job?.data)).not.toContain(owner.memberId);
  expect(await removeFinishedOrders([sync], owner)).toEqual({ completed: 0, failed: 0 });
});
