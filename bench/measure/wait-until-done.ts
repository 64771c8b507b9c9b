import { waitFor } from '@rewardhook/local-stack';
import type { Bench } from '../stack/bench.ts';

/** Whether the named queues have no unfinished job. */
async function queuesAreEmpty({ queues }: Bench, names: string[]): Promise<boolean> {
  const processes = queues.filter(({ name }) => names.includes(name));
  const counts = await Promise.all(
    processes.map((queue) => queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed')),
  );
  return counts.every((count) => Object.values(count).every((jobs) => jobs === 0));
}

/**
 * Waits until this number of orders, of one merchant or of several together, is stored and none of them waits for
 * evaluation. Returns the time in
 * milliseconds since 1970. The queues are checked first, because that is cheap: rows are counted only when the queues are
 * empty.
 */
export async function waitUntilEvaluated(
  bench: Bench,
  merchantIds: string | string[],
  orders: number,
): Promise<number> {
  await waitFor(
    async () => {
      if (!(await queuesAreEmpty(bench, ['sync', 'reward-evaluation']))) return false;
      const { rows } = await bench.sql.query<{ stored: number; due: number }>(
        `SELECT (SELECT count(*)::int FROM orders WHERE merchant_id = ANY($1)) AS stored,
           (SELECT count(*)::int FROM due_batches WHERE merchant_id = ANY($1)) AS due`,
        [[merchantIds].flat()],
      );
      return rows[0]?.stored === orders && rows[0].due === 0;
    },
    { deadlineMs: 240_000, everyMs: 10, what: `${orders} orders, stored and evaluated` },
  );
  return Date.now();
}

/** Waits until no stage has a job. */
export async function waitUntilIdle(bench: Bench, deadlineMs = 120_000): Promise<void> {
  const stages = bench.queues.map(({ name }) => name);
  await waitFor(() => queuesAreEmpty(bench, stages), { deadlineMs, what: 'an idle system' });
}
