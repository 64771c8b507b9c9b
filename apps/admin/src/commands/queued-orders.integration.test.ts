import { Worker } from 'bullmq';
import { listParkedJobs, ReadableOrders, removeParkedJobs } from '@rewardhook/pipeline';
import type { openQueues, Redis } from '@rewardhook/pipeline';
import type { Order } from '@rewardhook/contract';
import { buildOrder } from '@rewardhook/testing';
import { openCleanup } from '../../../../tests/harness/cleanup.ts';
import { openSyncQueue } from '../../../../tests/harness/open-sync-queue.ts';
import { countQueuedOrders, removeFinishedOrders } from './queued-orders.ts';

type SyncQueue = ReturnType<typeof openQueues>[number];

const owner = { merchantId: 'mer_1', memberIds: ['ann'] };
const cleanup = openCleanup();
afterEach(() => cleanup.run());

const openSync = (): Promise<SyncQueue> =>
  openSyncQueue(
    { redisUrl: String(process.env['TEST_REDIS_URL']), prefix: `{test-${crypto.randomUUID()}}` },
    cleanup,
  );

const dataOf = (orders: Order[]) => ({
  v: 1,
  merchantId: owner.merchantId,
  version: 1,
  count: orders.length,
  orders: JSON.stringify(orders),
});

const jobOf = (member_id: string, opts: { delay?: number } = {}) => ({
  name: 'sync',
  data: dataOf([buildOrder({ member_id })]),
  opts,
});

/** A job of 100 orders: every tenth is of the member. */
const largeJob = () => {
  const orders = Array.from({ length: 100 }, (_, index) =>
    buildOrder({ member_id: index % 10 === 0 ? owner.memberIds[0] : 'bob' }),
  );
  return { name: 'sync', data: dataOf(orders), opts: { attempts: 1 } };
};

/** Jobs that cannot be read: what they are, and what Redis stores as their data. */
const unreadableJobs: [string, string][] = [
  ['of another format', JSON.stringify({ ...dataOf([]), v: 99 })],
  ['with damaged orders', JSON.stringify({ ...dataOf([]), orders: '[{"member_id":"Kim' })],
  ['with an order that is not an object', JSON.stringify({ ...dataOf([]), orders: '[null]' })],
  ['without orders', JSON.stringify({ ...dataOf([]), orders: undefined })],
  ['without a merchant', JSON.stringify({ ...dataOf([]), merchantId: undefined })],
  ['that contains no object', '[]'],
  ['that is not JSON', '{"merchantId":"Kim'],
];

/** Adds a job that cannot be read. Returns its id. */
async function addUnreadable(sync: SyncQueue, data: string): Promise<string> {
  const job = await sync.add('sync', {});
  await setData(sync, String(job.id), data);
  return String(job.id);
}

/** Replaces the data of a job in Redis, by any text. */
const setData = (sync: SyncQueue, id: string, data: string) =>
  (sync.opts.connection as Redis).hset(sync.toKey(id), 'data', data);

const listParked = (sync: SyncQueue) =>
  listParkedJobs(sync.opts.connection as Redis, String(sync.opts.prefix), { stage: 'sync', limit: 10 });

const removeParked = (sync: SyncQueue, id: string, force = false) =>
  removeParkedJobs(sync.opts.connection as Redis, String(sync.opts.prefix), { stage: 'sync', id, force });

/** Takes all waiting jobs of a queue, and lets them fail. */
async function failJobs(sync: SyncQueue): Promise<void> {
  const worker = new Worker(sync.name, null, {
    connection: sync.opts.connection,
    prefix: sync.opts.prefix ?? '',
  });
  for (let job = await worker.getNextJob('t', { block: false }); job;)
    job = await job
      .moveToFailed(new Error('fails'), 't', false)
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
    expect(await countQueuedOrders([worked], owner)).toEqual({ orders: 1, unreadable: [] });
  });

  it('while a failed job becomes due again', async () => {
    const sync = await openSync();
    const [job] = await sync.addBulk([jobOf('ann', { delay: 600_000 })]);
    const promoted = runAfterFirstRead(sync, async () => job?.promote());
    expect(await countQueuedOrders([promoted], owner)).toEqual({ orders: 1, unreadable: [] });
  });

  it('in a job of many orders', async () => {
    const sync = await openSync();
    await sync.addBulk([largeJob(), jobOf('ann')]);
    expect(await countQueuedOrders([sync], owner)).toEqual({ orders: 11, unreadable: [] });
    const other = { ...owner, merchantId: 'mer_2' };
    expect(await countQueuedOrders([sync], other)).toEqual({ orders: 0, unreadable: [] });
  });

  it.each(unreadableJobs)('beside a job %s, which is named', async (_what, data) => {
    const sync = await openSync();
    const unreadable = await addUnreadable(sync, data);
    await sync.addBulk([jobOf('ann')]);
    expect(await countQueuedOrders([sync], owner)).toEqual({ orders: 1, unreadable: [unreadable] });
  });
});

it.each(unreadableJobs)(
  'A failed job %s is named, listed and removed, and the orders of the member are removed from others',
  async (_what, data) => {
    const sync = await openSync();
    const job = await sync.add('sync', {}, { attempts: 1 });
    const unreadable = String(job.id);
    await sync.addBulk([largeJob()]);
    await failJobs(sync);
    await setData(sync, unreadable, data);
    const removed = { completed: 0, failed: 1, unreadable: [unreadable] };
    expect(await removeFinishedOrders([sync], owner)).toEqual(removed);
    const [first, second] = await listParked(sync);
    expect([first?.id, second?.orders]).toEqual([unreadable, 90]);
    expect(JSON.stringify(first)).not.toContain('Kim');
    // Another release can read it.
    const isNewer = data.includes('"v":99');
    if (isNewer) await expect(removeParked(sync, unreadable)).rejects.toThrow(ReadableOrders);
    expect(await removeParked(sync, unreadable, isNewer)).toEqual([first]);
    expect(await listParked(sync)).toEqual([second]);
    expect(await removeParked(sync, unreadable)).toEqual([]);
  },
);

it('A job that cannot be read is not named for a member of another merchant if its merchant can be read', async () => {
  const sync = await openSync();
  const [, [, damaged] = ['', '']] = unreadableJobs;
  await addUnreadable(sync, damaged);
  const other = { ...owner, merchantId: 'mer_2' };
  expect(await countQueuedOrders([sync], other)).toEqual({ orders: 0, unreadable: [] });
});

it('A job that waits is not removed, and one that is parked with readable orders only by force', async () => {
  const sync = await openSync();
  const job = await sync.add('sync', jobOf('ann').data, { attempts: 1 });
  const id = String(job.id);
  expect(await removeParked(sync, id, true)).toEqual([]);
  await failJobs(sync);
  await expect(removeParked(sync, id)).rejects.toThrow(ReadableOrders);
  expect(await listParked(sync)).toMatchObject([{ id }]);
  expect(await removeParked(sync, id, true)).toMatchObject([{ id, orders: 1 }]);
  expect(await listParked(sync)).toEqual([]);
});

it('The orders of a member are removed from a failed job of many orders', async () => {
  const sync = await openSync();
  await sync.addBulk([largeJob()]);
  await failJobs(sync);
  expect(await listParked(sync)).toMatchObject([
    { queue: 'sync', merchantId: owner.merchantId, orders: 100 },
  ]);
  expect(await removeFinishedOrders([sync], owner)).toEqual({ completed: 0, failed: 1, unreadable: [] });
  const [job] = await sync.getFailed();
  expect(job?.data).toMatchObject({ v: 1, count: 90 });
  expect(JSON.stringify(job?.data)).not.toContain(owner.memberIds[0]);
  expect(await removeFinishedOrders([sync], owner)).toEqual({ completed: 0, failed: 0, unreadable: [] });
});
