import { enqueueEndedHolds, sweepDueBatches, sweepReferrals } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import type { Producer } from '@rewardhook/pipeline';

/** Batches that one sweep takes at the most. */
const mostBatches = 1_000;

/**
 * Queues what waits for evaluation and has no job: the job was lost with Redis, or a process was killed between storing
 * and queueing; and orders that only a second look at a new referral finds. Returns how many orders had no job.
 */
export async function sweepJudgements(
  database: Database,
  evaluation: Producer<'reward-evaluation'>,
  afterSeconds: number,
): Promise<number> {
  await evaluation.enqueue(await sweepReferrals(database, afterSeconds));
  const late = await sweepDueBatches(database, afterSeconds, mostBatches);
  await evaluation.enqueue(late);
  return late.reduce((sum, { orders }) => sum + orders, 0);
}

/** Has the rewards evaluated whose hold is over. Returns how many orders it queued. */
export async function sweepHolds(
  database: Database,
  evaluation: Producer<'reward-evaluation'>,
): Promise<number> {
  const over = await enqueueEndedHolds(database);
  await evaluation.enqueue(over);
  return over.reduce((sum, { orders }) => sum + orders, 0);
}
