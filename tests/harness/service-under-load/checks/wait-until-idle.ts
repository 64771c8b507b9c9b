import { stageNames } from '@rewardhook/pipeline';
import { waitFor } from '@rewardhook/local-stack';
import type { Stack } from '@rewardhook/local-stack';
import { readRows } from '../../read-rows.ts';
import type { QueueCounts } from '../../queue-counts.ts';

/**
 * Waits until all work is done: no job in any queue, no order that waits for evaluation or for the sweepers of links and merges, no pending
 * delivery. The leases of a killed worker expire within 30 s.
 * @throws with the work that is left at the deadline
 */
export async function waitUntilIdle(
  { stack, queues }: { stack: Stack; queues: QueueCounts },
  deadlineMs: number,
): Promise<void> {
  let left = '';
  const isIdle = async () => {
    const counts: Record<string, number> = {};
    // In the order of the stages: a stage adds the job of the next one before its own job ends.
    for (const stage of stageNames) counts[`${stage} jobs`] = await queues.pending(stage);
    const [rows] = await readRows<Record<string, string>>(
      stack.databaseUrl,
      `SELECT (SELECT count(*) FROM due_batches) AS "batches of orders to evaluate",
         (SELECT count(*) FROM member_aliases WHERE orders_moved_at IS NULL) AS "members whose orders are being moved",
         (SELECT count(*) FROM referrals WHERE orders_enqueued_at IS NULL) AS "members whose orders are being enqueued",
         (SELECT count(*) FROM deliveries WHERE state = 'pending') AS "deliveries pending"`,
    );
    const all = { ...counts, ...rows };
    left = Object.entries(all)
      .filter(([, count]) => Number(count) !== 0)
      .map(([what, count]) => `${count} ${what}`)
      .join(', ');
    return left === '';
  };
  await waitFor(isIdle, { deadlineMs, everyMs: 100 }).catch((cause: unknown) => {
    throw new Error(`work is left after ${deadlineMs / 1_000} s: ${left || String(cause)}`, {
      cause,
    });
  });
}
