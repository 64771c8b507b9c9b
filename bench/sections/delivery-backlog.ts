import { setTimeout } from 'node:timers/promises';
import { waitFor } from '@rewardhook/local-stack';
import { waitUntilIdle } from '../measure/wait-until-done.ts';
import type { Figure } from '../report/figure.ts';
import type { Bench } from '../stack/bench.ts';
import { openEndpointGroup } from '../stack/endpoint-group.ts';
import { openTask } from '../tasks/open-task.ts';

const bigEndpoints = 20;
const samples = 10;

/** The time from due to response of single deliveries of one merchant, while the backlog of another is sent. */
export async function measureDeliveryBacklog(bench: Bench): Promise<Figure[]> {
  const { waitingDeliveries: waiting } = bench.settings;
  const section = `Isolation: a merchant beside one with ${waiting.toLocaleString('en')} deliveries waiting`;
  bench.log(`isolation: ${waiting} deliveries of one merchant, single ones of another`);
  const receiver = await openTask<null, { url: string }, number>('load/receiver.ts', null);
  const none = { healthy: 0, others: 0, slow: 0, fails: 0, hangs: 0 };
  try {
    const { url } = receiver.ready;
    const small = await openEndpointGroup(bench, url, { ...none, healthy: 1 }, 1);
    const big = await openEndpointGroup(bench, url, { ...none, others: bigEndpoints }, bigEndpoints);
    await waitUntilIdle(bench);
    await big.send(big.all, waiting / bigEndpoints);
    const since = new Date();
    for (let sent = 0; sent < samples; sent += 1) {
      await setTimeout(300);
      await small.send(small.all, 1);
    }
    await waitFor(async () => (await small.healthyWaiting()) === 0, { deadlineMs: 120_000 });
    const left = await bench.sql.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM deliveries WHERE endpoint_id = ANY($1) AND state = 'pending'`,
      [big.all.map(({ endpointId }) => endpointId)],
    );
    const times = await small.healthyTimes(since);
    if ((left.rows[0]?.count ?? 0) === 0)
      throw new Error('the backlog was gone before the last single delivery');
    await bench.sql.query(`UPDATE endpoints SET paused_at = now() WHERE id = ANY($1)`, [
      big.all.map(({ endpointId }) => endpointId),
    ]);
    await waitUntilIdle(bench);
    return [
      {
        section,
        name: 'due to answer of a single delivery, the slowest of ten',
        value: Math.max(...times),
        unit: 'ms',
        goal: { of: 'value', atMost: 1_000 },
      },
    ];
  } finally {
    await receiver.close();
  }
}
