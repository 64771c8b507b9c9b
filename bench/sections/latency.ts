import type { PostPlan, PostResult } from '../load/post-plan.ts';
import { median } from '../measure/statistics.ts';
import { waitUntilIdle } from '../measure/wait-until-done.ts';
import type { Figure } from '../report/figure.ts';
import { profile } from '../report/profile.ts';
import { batch, connections, ordersPerMember } from '../settings.ts';
import type { Bench } from '../stack/bench.ts';
import { openTask } from '../tasks/open-task.ts';

const section = 'The 202';

type Target = Pick<PostPlan, 'url' | 'key' | 'orders' | 'batch' | 'connections' | 'perSecond' | 'seconds'>;

/** Latency of the 202 at half of the end-to-end load, and requests/s compared with a bare Express app. */
export async function measureLatency(bench: Bench, ordersPerSecond: number): Promise<Figure[]> {
  const { seconds, repetitions } = bench.settings;
  const merchant = await bench.createMerchant('bench latency');
  const ours = { url: `${bench.stack.apiUrl}/api/open/orders/sync/`, key: merchant.secretKey };
  const perSecond = ordersPerSecond / 2 / batch;

  bench.log(`202: latency at ${Math.round(perSecond)} requests/s`);
  const orders = Math.ceil(perSecond * seconds) * batch;
  await post({ ...ours, orders: Math.ceil(orders / 4), batch, connections: 64, perSecond });
  const paced = await post({ ...ours, orders, batch, connections: 64, perSecond });
  await waitUntilIdle(bench);

  const figures: Figure[] = [
    latency('p50', paced.p50Ms, perSecond),
    latency('p99', paced.p99Ms, perSecond),
    latency('max', paced.maxMs, perSecond),
  ];
  const app = await openTask<null, { url: string }, null>('bare/express-app.ts', null);
  const bare = { url: app.ready.url, key: '' };
  try {
    for (const size of [batch, 1]) {
      const load = { orders: 200 * size, batch: size, connections, seconds: seconds / 2 };
      const reference: PostResult[] = [];
      const alone: PostResult[] = [];
      const together: PostResult[] = [];
      await post({ ...bare, ...load, seconds: 1 });
      for (let repetition = 1; repetition <= repetitions; repetition += 1) {
        const what = `requests/s with ${size} order${size === 1 ? '' : 's'} a request`;
        bench.log(`202: ${what}: repetition ${repetition} of ${repetitions}`);
        reference.push(await post({ ...bare, ...load }));
        await setSyncPaused(bench, true);
        alone.push(await post({ ...ours, ...load }));
        await setSyncPaused(bench, false);
        await waitUntilIdle(bench);
        together.push(await post({ ...ours, ...load }));
        await waitUntilIdle(bench);
      }
      figures.push(
        rate(size, 'the sync stage paused', alone, reference),
        rate(size, 'all stages at work on the same cores', together, reference),
      );
    }
  } finally {
    await app.close();
    await setSyncPaused(bench, false);
  }
  return figures;
}

async function post(target: Target): Promise<PostResult> {
  const plan = { prefix: `L${Date.now()}`, ordersPerMember, ...target };
  const load = await openTask<PostPlan, null, PostResult>('load/post-orders.ts', plan);
  const result = await load.call();
  await load.close();
  return result;
}

async function setSyncPaused({ queues }: Bench, paused: boolean): Promise<void> {
  const queue = queues.find(({ name }) => name === 'sync');
  await (paused ? queue?.pause() : queue?.resume());
}

function latency(name: string, value: number, perSecond: number): Figure {
  const note = `at half the end-to-end load: ${Math.round(perSecond)} requests of ${batch} orders a second, sent on time`;
  return {
    section,
    name: `latency ${name}`,
    value,
    unit: 'ms',
    ...(name === 'p50' ? { note } : {}),
    ...(name === 'p99' ? { goal: { of: 'value', atMost: 50 } } : {}),
  };
}

function rate(size: number, how: string, ours: PostResult[], bare: PostResult[]): Figure {
  const perSecond = (results: PostResult[]) => results.map(({ requests, seconds }) => requests / seconds);
  return {
    section,
    name: `${size} order${size === 1 ? '' : 's'} a request, ${how}`,
    value: median(perSecond(ours)),
    unit: 'requests/s',
    reference: { name: 'bare Express, JSON parsed', value: median(perSecond(bare)) },
    goal: { of: 'ratio', atLeast: 0.6 },
    repetitions: perSecond(ours),
    note: `bare Express: ${perSecond(bare).map(Math.round).join(', ')} requests/s`,
    bottleneck: profile.requests,
  };
}
