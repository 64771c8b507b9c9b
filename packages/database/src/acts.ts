import type { CorrectionRefusal } from '@rewardhook/rewards';
import type { DueBatch } from './evaluation/due-batches.ts';
import type { ReviewState } from './states.ts';

/** What a person gives with an act. An act leaves out what it does not have: a correction has no dry run, a review no key. */
export interface Act {
  merchantId: string;
  /** The e-mail address of a console user, `api`, or `operator`. */
  by: string;
  /** Makes the act once: of one with a key that was used before, nothing is done again. */
  key: string;
  /** Why, for people. */
  reason: string;
  /** Whether nothing is stored, and only the result is returned. */
  dryRun?: boolean;
}

/** What an act did, beside what only acts of its kind return. */
export interface ActResult {
  /** False when the key was used before, for the same act. */
  isNew: boolean;
  /**
   * Batches that are due because of it, and endpoints with new deliveries. The jobs for them are not added yet. A repeated act and a dry
   * run have none.
   */
  enqueued: DueBatch[];
  endpointIds: string[];
}

/** Why an act of a person is refused: a code, and what its text needs. */
export type ActRefusal =
  /** The key was used for another act of this kind. */
  | { code: 'key_reused'; act: 'correction' | 'merge' | 'move' }
  | LinkRefusal
  | MoveRefusal
  | MergeRefusal
  | CorrectionRefusal
  /** The merchant has no such order or reward to correct. */
  | { code: 'not_found' }
  | ReviewRefusal;

/** Why a link is refused, and a move, which makes one. */
type LinkRefusal =
  /** A member has no id of their own, but a placeholder: they would be referred, or refer, for all whose id is missing. */
  | { code: 'placeholder_member'; side: 'referrer' | 'referee'; memberId: string; byCode: boolean }
  /** The code is no longer the referrer's: the member was erased meanwhile. */
  | { code: 'stale_code' }
  /** The referee has referred the referrer, directly or through others: a cycle earns no rewards. */
  | { code: 'referral_cycle'; refereeMemberId: string; referrerMemberId: string };

type MoveRefusal =
  /** The referee has no link, and the move names no order. */
  | { code: 'not_linked' }
  | { code: 'order_not_of_referee' }
  /** A member cannot refer themselves. */
  | { code: 'same_member' }
  /** The referral has this referrer, and the move names no order. */
  | { code: 'link_unchanged' }
  | { code: 'linked_member_erased' };

/** `from` is merged into `into`. */
type MergeRefusal =
  /** The merchant has no member and no order with the id `from`. */
  | { code: 'merged_member_unknown' }
  /** Both ids mean one member. */
  | { code: 'one_member' }
  /** `from` is an alias of this member. */
  | { code: 'already_merged'; memberId: string }
  | { code: 'merged_member_erased' }
  /** `into` is a placeholder, or means one that was a survivor before they were refused. */
  | { code: 'placeholder_id' }
  /** A member would be renamed to an id with characters that nobody sees. */
  | { code: 'unseen_characters' }
  /** Orders of one of them are due for evaluation. */
  | { code: 'orders_due'; orderIds: string[] }
  /** The merged member has more of these than are moved at once. */
  | { code: 'merge_too_large'; what: 'orders' | 'referees' | 'rewards'; most: number };

type ReviewRefusal =
  | { code: 'referral_unknown'; merchantId: string; referralId: string }
  /** It needs no review, or was reviewed before. */
  | { code: 'referral_not_reviewable'; referralId: string; review: ReviewState; reviewedBy: string | null };

/** A refusal with one of these codes. */
export type RefusalOf<Code extends ActRefusal['code']> = ActRefusal & { code: Code };

/** What the API, the console or the command line answers to each refusal: with a missing code it does not compile. */
export type RefusalAnswers<Answer> = {
  [Code in ActRefusal['code']]: (refusal: RefusalOf<Code>) => Answer;
};

/** An act of a person is refused; nothing was changed. */
export class ActRefused extends Error {
  readonly refusal: ActRefusal;

  constructor(refusal: ActRefusal) {
    super(`an act is refused: ${refusal.code}`);
    this.refusal = refusal;
  }

  /** The entry of its code in the table of a front. */
  answerFrom<Answer>(answers: RefusalAnswers<Answer>): Answer {
    // The compiler does not see that the entry belongs to the code.
    const answer = answers[this.refusal.code] as (refusal: ActRefusal) => Answer;
    return answer(this.refusal);
  }
}
