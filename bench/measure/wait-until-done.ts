import { waitFor } from '@rewardhook/local-stack';
import type { Bench } from '../stack/bench.ts';

/** Nothing on the queues named: waiting, active or delayed. */
async function queuesAreEmpty({ queues }: Bench, names: string[]): Promise<boolean> {
  const watched = queues.filter(({ name }) => names.includes(name));
  const counts = await Promise.all(
    watched.map((queue) => queue.getJobCounts('waiting', 'active', 'delayed')),
  );
  return counts.every((count) => Object.values(count).every((jobs) => jobs === 0));
}

/**
 * Waits until so many orders of a merchant are stored and none of them waits for its judgement. Returns the time in
 * milliseconds since 1970. The queues are looked at first, which costs Redis nothing to speak of: the rows are counted
 * when there can be no more.
 */
export async function waitUntilJudged(bench: Bench, merchantId: string, orders: number): Promise<number> {
  await waitFor(
    async () => {
      if (!(await queuesAreEmpty(bench, ['sync', 'reward-evaluation']))) return false;
      const { rows } = await bench.sql.query<{ stored: number; due: number }>(
        `SELECT (SELECT count(*)::int FROM orders WHERE merchant_id = $1) AS stored,
           (SELECT count(*)::int FROM due_batches WHERE merchant_id = $1) AS due`,
        [merchantId],
      );
      return rows[0]?.stored === orders && rows[0].due === 0;
    },
    { deadlineMs: 240_000, everyMs: 10, what: `${orders} orders, stored and judged` },
  );
  return Date.now();
}

/** Waits until no stage has anything to do. */
export async function waitUntilIdle(bench: Bench): Promise<void> {
  const stages = bench.queues.map(({ name }) => name);
  await waitFor(() => queuesAreEmpty(bench, stages), { deadlineMs: 120_000, what: 'an idle system' });
}
