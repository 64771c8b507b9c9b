import type { PostPlan, PostResult } from '../load/post-plan.ts';
import { peakRssMb } from '../measure/process-usage.ts';
import { waitUntilIdle } from '../measure/wait-until-done.ts';
import type { Figure } from '../report/figure.ts';
import { profile } from '../report/profile.ts';
import { batch, connections, ordersPerMember } from '../settings.ts';
import type { Bench } from '../stack/bench.ts';
import { openTask } from '../tasks/open-task.ts';

const servers = ['postgres', 'redis'];

/** Redis memory per waiting order, then the peak memory of every process over the entire bench. Runs last. */
export async function measureFootprint(bench: Bench): Promise<Figure[]> {
  bench.log('memory');
  const bytes = await bytesPerWaitingOrder(bench);
  const section = 'Memory';
  return [
    {
      section,
      name: 'Redis, per order that waits',
      value: bytes,
      unit: 'bytes',
      note: 'in jobs of 100 orders of 2 items, sync paused',
    },
    ...bench.stack.processes().map(({ name, pid }): Figure => ({
      section,
      name: `${name}, peak resident`,
      value: peakRssMb(pid),
      unit: 'MB',
      ...(servers.includes(name) ? {} : { goal: { of: 'value', atMost: 200 }, bottleneck: profile.memory }),
    })),
  ];
}

async function bytesPerWaitingOrder(bench: Bench): Promise<number> {
  const { queues, settings, stack } = bench;
  const sync = queues.find(({ name }) => name === 'sync');
  const merchant = await bench.createMerchant('bench memory');
  const plan: PostPlan = {
    prefix: `M${Date.now()}`,
    orders: settings.waitingOrders,
    ordersPerMember,
    url: `${stack.apiUrl}/api/open/orders/sync/`,
    key: merchant.secretKey,
    batch,
    connections,
  };
  await waitUntilIdle(bench);
  await sync?.pause();
  try {
    const before = await usedMemory(bench);
    const load = await openTask<PostPlan, null, PostResult>('load/post-orders.ts', plan);
    await load.call();
    await load.close();
    return ((await usedMemory(bench)) - before) / settings.waitingOrders;
  } finally {
    await sync?.resume();
    await waitUntilIdle(bench);
  }
}

async function usedMemory({ redis }: Bench): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
}
