import type { PostPlan, PostResult } from '../load/post-plan.ts';
import { waitUntilIdle } from '../measure/wait-until-done.ts';
import type { Figure } from '../report/figure.ts';
import { batch, ordersPerMember } from '../settings.ts';
import type { Bench } from '../stack/bench.ts';
import { openTask } from '../tasks/open-task.ts';

/** Enough that a request never waits for one. */
const manyConnections = 64;

/** Latency of the 202 at half of the end-to-end load. */
export async function measureLatency(bench: Bench, ordersPerSecond: number): Promise<Figure[]> {
  const { stack, settings } = bench;
  const merchant = await bench.createMerchant('bench latency');
  const perSecond = ordersPerSecond / 2 / batch;
  bench.log(`202: latency at ${Math.round(perSecond)} requests/s`);
  const post = async (seconds: number): Promise<PostResult> => {
    const load = await openTask<PostPlan, null, PostResult>('load/post-orders.ts', {
      prefix: `L${Date.now()}`,
      orders: Math.ceil(perSecond * seconds) * batch,
      ordersPerMember,
      url: `${stack.apiUrl}/api/open/orders/sync/`,
      key: merchant.secretKey,
      batch,
      connections: manyConnections,
      perSecond,
    });
    const result = await load.call();
    await load.close();
    return result;
  };
  await post(settings.seconds / 4);
  const { p50Ms, p99Ms, maxMs } = await post(settings.seconds);
  await waitUntilIdle(bench);
  const section = `The 202 of ${batch} orders, ${Math.round(perSecond)} requests a second: half the end-to-end load`;
  return [
    { section, name: 'p50', value: p50Ms, unit: 'ms' },
    { section, name: 'p99', value: p99Ms, unit: 'ms', goal: { of: 'value', atMost: 50 } },
    { section, name: 'max', value: maxMs, unit: 'ms' },
  ];
}
