import { waitFor } from '@rewardhook/local-stack';
import type { PostPlan, PostResult } from '../load/post-plan.ts';
import { batch, connections, ordersPerMember } from '../settings.ts';
import type { Bench } from '../stack/bench.ts';
import { openTask } from '../tasks/open-task.ts';
import type { Task } from '../tasks/open-task.ts';
import type { NaivePlan } from './plan.ts';
import { prepareNaive } from './prepare.ts';

/**
 * Orders/s of the naive implementation on the same servers, from the first POST to the last stored row. It does not
 * evaluate orders, which is to its advantage. A tenth of the number of orders is sent first, to warm it up.
 */
export async function runNaive({ stack }: Bench, orders: number): Promise<number> {
  const secretKey = 'svc_sk_naive';
  const plan: NaivePlan = {
    databaseUrl: await prepareNaive(stack.databaseUrl),
    redisUrl: stack.redisUrl,
    secretKey,
  };
  const worker = await openTask<NaivePlan, null, number>('naive/worker.ts', plan);
  const api = await openTask<NaivePlan, { url: string }, null>('naive/api.ts', plan);
  const send = async (prefix: string, count: number) => {
    const post = { prefix, orders: count, ordersPerMember, url: api.ready.url, key: secretKey };
    const load = await openTask<PostPlan, null, PostResult>('load/post-orders.ts', {
      ...post,
      batch,
      connections,
    });
    const { startedAt } = await load.call();
    await load.close();
    return startedAt;
  };
  try {
    const warmUp = Math.ceil(orders / 10);
    await send('warm', warmUp);
    await waitUntilStored(worker, warmUp);
    const startedAt = await send('naive', orders);
    await waitUntilStored(worker, warmUp + orders);
    return orders / ((Date.now() - startedAt) / 1_000);
  } finally {
    await api.close();
    await worker.close();
  }
}

function waitUntilStored(worker: Task<null, number>, orders: number): Promise<unknown> {
  const done = async () => (await worker.call()) >= orders;
  return waitFor(done, {
    deadlineMs: 120_000,
    everyMs: 20,
    what: `${orders} orders of the naive implementation`,
  });
}
