import { stageNames } from '@rewardhook/pipeline';
import { waitFor } from '@rewardhook/local-stack';
import type { ChaosEnvironment } from '../environment/open-environment.ts';
import { readRows } from '../environment/read-rows.ts';

/**
 * Waits until nothing is to be done any more: no job in any queue, no order that waits to be judged, no delivery
 * that is not final. What a killed worker had taken comes due again within 30 s.
 * @throws with what is still to be done at the deadline
 */
export async function waitUntilQuiet({ stack, queues }: ChaosEnvironment, deadlineMs: number): Promise<void> {
  let left = '';
  const isQuiet = async () => {
    const counts: Record<string, number> = {};
    // In the order of the flow: a stage queues for the next one before its own job ends.
    for (const stage of stageNames) counts[`${stage} jobs`] = await queues.pending(stage);
    const [rows] = await readRows<Record<string, string>>(
      stack.databaseUrl,
      `SELECT (SELECT count(*) FROM due_batches) AS "batches of orders to judge",
         (SELECT count(*) FROM deliveries WHERE state = 'pending') AS "deliveries pending"`,
    );
    const all = { ...counts, ...rows };
    left = Object.entries(all)
      .filter(([, count]) => Number(count) !== 0)
      .map(([what, count]) => `${count} ${what}`)
      .join(', ');
    return left === '';
  };
  await waitFor(isQuiet, { deadlineMs, everyMs: 100 }).catch((cause: unknown) => {
    throw new Error(`not everything was done within ${deadlineMs / 1_000} s: ${left || String(cause)}`, {
      cause,
    });
  });
}
