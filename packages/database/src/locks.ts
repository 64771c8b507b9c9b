import type { Queryable } from './client/client.ts';
import { textArray } from './client/sql-arrays.ts';

/*
 * The order in which transactions lock what evaluations and acts of people share. A transaction leaves out what it does not need:
 *
 * 1. the `Idempotency-Key` of an act (`lockKey`)
 * 2. the due batches that are evaluated (evaluation/due-batches.ts)
 * 3. referrals (`lockReferral`; evaluation/referral-states.ts, members/merge-members.ts, members/erasure.ts)
 * 4. members (`lockMembers`; evaluation/program-usage.ts, members/erasure.ts)
 * 5. the links of the merchant (`lockLinks`)
 * 6. the program, with the sum of its live rewards (`lockProgram`; evaluation/program-usage.ts)
 * 7. orders (evaluation/order-states.ts)
 * 8. rewards (rewards/rewards.ts)
 *
 * The following deviate from it and can deadlock. PostgreSQL then rolls one of the two transactions back, and it is run again
 * (`retryConflicts`):
 *
 * - A link and a move lock their members and the links of the merchant first, since there may be no referral yet.
 * - A merge and an erasure lock referrals again once they have the members, because one may have been inserted meanwhile, and change
 *   parked batches after orders.
 * - An evaluation locks the referral of a former member of an order once it knows that it has left it, after orders.
 * - An evaluation without a budget locks the program last, with the rows that it writes.
 * - Rows of one kind are locked in the order of their ids within one statement, but not by all statements in the same collation.
 */

/** Locks a referral. Evaluations lock it too: they decide before, or read the result. */
export async function lockReferral(
  tx: Queryable,
  merchantId: string,
  refereeMemberId: string,
): Promise<void> {
  await tx.query('SELECT 1 FROM referrals WHERE merchant_id = $1 AND referee_member_id = $2 FOR UPDATE', [
    merchantId,
    refereeMemberId,
  ]);
}

/** Locks the members with these ids, so that they are not linked, merged or erased meanwhile. Returns those that exist. */
export function lockMembers(
  tx: Queryable,
  merchantId: string,
  memberIds: string[],
): Promise<{ memberId: string; code: string; createdAt: Date }[]> {
  return tx.query(
    `SELECT member_id AS "memberId", code, created_at AS "createdAt" FROM members
     WHERE merchant_id = $1 AND member_id = ANY($2::text[]) ORDER BY member_id FOR UPDATE`,
    [merchantId, textArray(memberIds)],
  );
}

/** Locks the links of a merchant, which are made one after the other: two concurrent ones could close a cycle that is visible to neither. */
export async function lockLinks(tx: Queryable, merchantId: string): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('rewardhook links ' || $1, 0))`, [
    merchantId,
  ]);
}

/** Locks the program of a merchant, and with it the sum of its live rewards. */
export async function lockProgram(tx: Queryable, merchantId: string): Promise<void> {
  await tx.query('SELECT 1 FROM programs WHERE merchant_id = $1 FOR UPDATE', [merchantId]);
}
