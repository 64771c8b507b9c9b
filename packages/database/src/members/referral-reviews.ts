import type { Referral } from './members.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { enqueueOrdersOfMembers } from '../evaluation/due-batches.ts';
import type { DueBatch } from '../evaluation/due-batches.ts';

/** What somebody decides about a referral that needs review. It is decided once. */
export interface ReferralReview {
  referralId: string;
  decision: 'accepted' | 'rejected';
  /** A console user's e-mail address, or `operator`. */
  by: string;
}

/** A referral after somebody decided about it. */
export interface ReviewedReferral {
  referral: Referral;
  /** False when it did not need review: nothing was changed, `referral` says what it is. */
  changed: boolean;
  /** The referee's orders that are to be evaluated because of it. */
  due: DueBatch[];
}

/**
 * Accepts or rejects a referral that needs review, and marks the referee's orders to be evaluated again, in one
 * transaction: the evaluation confirms or cancels the rewards that wait. Evaluations of the referee lock the same row.
 * Undefined when the merchant has no such referral.
 */
export function reviewReferral(
  database: Database,
  merchantId: string,
  { referralId, decision, by }: ReferralReview,
): Promise<ReviewedReferral | undefined> {
  const review = async (tx: Queryable): Promise<ReviewedReferral | undefined> => {
    const [decided] = await tx.query<Referral>(
      `UPDATE referrals SET review = $3, reviewed_by = $4, reviewed_at = clock_timestamp()
       WHERE merchant_id = $1 AND id = $2 AND review = 'pending' RETURNING ${columns}`,
      [merchantId, referralId, decision, by],
    );
    if (decided) {
      const due = await enqueueOrdersOfMembers(tx, merchantId, [decided.refereeMemberId]);
      return { referral: decided, changed: true, due };
    }
    const [referral] = await tx.query<Referral>(
      `SELECT ${columns} FROM referrals WHERE merchant_id = $1 AND id = $2`,
      [merchantId, referralId],
    );
    return referral && { referral, changed: false, due: [] };
  };
  return retryConflicts(() => transact(database, review));
}

const columns = `id, referrer_member_id AS "referrerMemberId", referee_member_id AS "refereeMemberId", code, flags,
  linked_at AS "linkedAt", review, reviewed_by AS "reviewedBy", reviewed_at AS "reviewedAt"`;
