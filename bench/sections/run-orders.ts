import type { PostPlan, PostResult } from '../load/post-plan.ts';
import { cpuSeconds } from '../measure/process-usage.ts';
import { waitUntilEvaluated } from '../measure/wait-until-done.ts';
import { batch, connections, ordersPerMember } from '../settings.ts';
import type { Bench } from '../stack/bench.ts';
import { linkMembers } from '../stack/link-members.ts';
import { openTask } from '../tasks/open-task.ts';

export interface OrdersRun {
  ordersPerSecond: number;
  /** Processor seconds by process, including the load generator. */
  cpu: Record<string, number>;
}

let runs = 0;

/**
 * Sends orders of a new merchant as fast as the API accepts them and waits until the last one is stored and evaluated.
 * With `linked` every member has a referrer.
 */
export async function runOrders(
  bench: Bench,
  options: { orders: number; linked?: boolean },
): Promise<OrdersRun> {
  const { stack, sql } = bench;
  const { orders, linked = false } = options;
  runs += 1;
  const merchant = await bench.createMerchant(`bench ${runs}`);
  const plan: PostPlan = {
    prefix: `B${Date.now()}-${runs}`,
    orders,
    ordersPerMember,
    url: `${stack.apiUrl}/api/open/orders/sync/`,
    key: merchant.secretKey,
    batch,
    connections,
  };
  if (linked) await linkMembers(sql, merchant.merchantId, plan);
  const load = await openTask<PostPlan, null, PostResult>('load/post-orders.ts', plan);
  try {
    const processes = [...stack.processes(), { name: 'load generator', pid: load.pid }];
    const before = processes.map(({ pid }) => cpuSeconds(pid));
    const { startedAt, refused } = await load.call();
    if (refused > 0) bench.log(`the API responded ${refused} times with 503; each request was sent again`);
    const endedAt = await waitUntilEvaluated(bench, merchant.merchantId, orders);
    const cpu = processes.map(({ name, pid }, index) => [name, cpuSeconds(pid) - (before[index] ?? 0)]);
    return {
      ordersPerSecond: orders / ((endedAt - startedAt) / 1_000),
      cpu: Object.fromEntries(cpu) as Record<string, number>,
    };
  } finally {
    await load.close();
  }
}
