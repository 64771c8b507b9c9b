import type { MemberRow, ReferralRow } from '@rewardhook/database';
import type { DateTime, Page, PageOfMember } from './response.ts';
import type { OrderListItem } from './orders.ts';
import type { RewardView } from './rewards.ts';

/** GET /members?search=, by member id; `search` is the beginning of an id in any case, a referral code, or a former id or code. `/members.csv`: all rows. */
export type MemberItem = MemberRow;

export type MemberPage = Page<MemberItem>;

/** A referral as the API answers with it, and who reviewed and moved it. */
export type ReferralView = ReferralRow;
export type ReferralMoveView = ReferralView['moves'][number];

/** POST /referrals/:id/move (developer). */
export interface MoveReferralRequest {
  /** The id or the referral code of a member. */
  referrer: string;
  from_order_id?: string;
  /** Why, for people. */
  reason: string;
  /** Of the caller's choice: a repeated call with it changes nothing. */
  key: string;
  /** Whether nothing is changed. */
  dry_run: boolean;
}

/** What a move changes. Null when an order of the referee cannot be read. */
export interface MovedReferral {
  referrer_member_id: string;
  withdrawn: RewardSums | null;
  given: RewardSums | null;
}

/** A number of rewards, and their sums by unit. */
export interface RewardSums {
  rewards: number;
  totals: { unit: string; amount: number }[];
}

/**
 * GET /referrals/:id. POST /referrals/:id/accept and /referrals/:id/reject (developer) return it too; 409 if it does
 * not need a review.
 */
export interface ReferralDetail {
  referral: ReferralView;
  /** Its newest 50 rewards. */
  rewards: RewardView[];
}

/** GET /referrals?flagged=true&review=pending&member_id= (either side), newest first. `/referrals.csv`: all rows. */
export type ReferralPage = PageOfMember<ReferralView>;

/** POST /members/:member_id/merge (developer). */
export interface MergeMemberRequest {
  /** The surviving member; an id that is unused renames the member. */
  into_member_id: string;
  /** Why, for people. */
  reason: string;
  /** Of the caller's choice: a repeated call with it changes nothing. */
  key: string;
  /** Whether nothing is changed. */
  dry_run: boolean;
}

/** What a merge changes. */
export interface MergedMemberView {
  /** The surviving member. */
  member_id: string;
  orders_moved: number;
  referees_moved: number;
  ended_referral_id: string | null;
  rewards_cancelled: number;
  rewards_kept: number;
}

/** GET /members/:member_id (percent-encoded), also by a former id. Lists hold the newest 50. */
export interface MemberView {
  member_id: string;
  /** Former ids, which mean this member. */
  aliases: string[];
  /** Null for a member who has orders and was neither booted nor linked. */
  code: string | null;
  created_at: DateTime | null;
  /** The share link; null if the merchant has no landing URL or the service no public URL. */
  link: string | null;
  referrer: ReferralView | null;
  referees: ReferralView[];
  referees_total: number;
  orders: OrderListItem[];
  rewards: RewardView[];
}
