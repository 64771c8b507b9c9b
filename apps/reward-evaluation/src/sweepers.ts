import {
  enqueueEndedHolds,
  enqueuePaymentsReached,
  findDueBatches,
  moveOrdersOfAliases,
  sweepDueBatches,
  sweepReferrals,
} from '@rewardhook/database/stages';
import type { DueBatch, Sql } from '@rewardhook/database/stages';
import type { Producer } from '@rewardhook/pipeline';

/** Batches per sweep. */
const maxBatches = 1_000;

/**
 * Enqueues orders that have been due for `afterSeconds` without a job: the job was lost with Redis, or a process ended
 * between storing and enqueueing. Also enqueues orders that were stored while a new referral of their member was
 * committed (docs/decisions/012), or under the id of a member who was being merged (docs/decisions/092). Returns the number of orders that had no job.
 */
export async function sweepDueOrders(
  database: Sql,
  evaluation: Producer<'reward-evaluation'>,
  afterSeconds: number,
): Promise<number> {
  await evaluation.enqueue(await sweepReferrals(database, afterSeconds));
  await evaluation.enqueue(await moveOrdersOfAliases(database));
  const late = await sweepDueBatches(database, afterSeconds, maxBatches);
  // A batch that was evaluated since it was read has no job any more, and is no longer due.
  const lost = await findDueBatches(database, await evaluation.findMissing(late));
  await evaluation.enqueueAgain(late);
  return countOrders(lost);
}

/** Enqueues the orders of rewards whose hold has ended, and orders whose `paid_at` was in the future and is reached. */
export async function sweepTimes(database: Sql, evaluation: Producer<'reward-evaluation'>): Promise<void> {
  await evaluation.enqueue(await enqueueEndedHolds(database));
  await evaluation.enqueue(await enqueuePaymentsReached(database));
}

const countOrders = (batches: DueBatch[]) => batches.reduce((sum, { orders }) => sum + orders, 0);
