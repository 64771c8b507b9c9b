import { connectWorker, disconnect, openQueues } from '@rewardhook/pipeline';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { openCleanup, testLog } from '../../../../tests/harness/index.ts';
import { countQueuedOrders } from './queued-orders.ts';

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

  it('beside a job whose content cannot be read', async () => {
    const sync = await openSync();
    const unreadable = { name: 'sync', data: { v: 99, merchantId: owner.merchantId } };
    await sync.addBulk([unreadable, jobOf('ann')]);
    expect(await countQueuedOrders([sync], owner)).toBe(1);
  });
});
