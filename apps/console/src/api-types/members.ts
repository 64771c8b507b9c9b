import type { MemberMerge, MemberTotals, ReferralRow, RewardListRow } from '@rewardhook/database';
import type { OrderListItem } from './orders.ts';
import type { DateTime } from './response.ts';
import type { Correction } from './rewards.ts';

/** Which members to list. */
export interface MemberFilter {
  /** The beginning of a member id in any case, a referral code, or a former id or code. */
  search?: string;
}

/** Which referrals to list. */
export interface ReferralFilter {
  flagged?: boolean;
  review?: ReferralRow['review'];
  /** Either side. */
  member_id?: string;
  /** Only those that the figures count. */
  counted?: boolean;
  /** The time of the link: from inclusive, until exclusive. */
  from?: DateTime;
  until?: DateTime;
}

export interface MoveReferralRequest extends Correction {
  /** The id or the referral code of a member. */
  referrer: string;
  from_order_id?: string;
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

export interface ReferralDetail {
  referral: ReferralRow;
  /** Its newest 50 rewards. */
  rewards: RewardListRow[];
}

export interface MergeMemberRequest extends Correction {
  /** The surviving member; an id that is unused renames the member. */
  into_member_id: string;
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

export type { MemberMerge, MemberTotals };

/** A member, also found by a former id. Lists hold the newest 50. */
export interface MemberView {
  member_id: string;
  /** Former ids, which mean this member. */
  aliases: string[];
  /** How they got these, newest first, at most 50. */
  merges: MemberMerge[];
  totals: MemberTotals;
  /** Null for a member who has orders and was neither booted nor linked. */
  code: string | null;
  created_at: DateTime | null;
  /** The share link; null if the merchant has no landing URL or the service no public URL. */
  link: string | null;
  referrer: ReferralRow | null;
  referees: ReferralRow[];
  referees_total: number;
  orders: OrderListItem[];
  rewards: RewardListRow[];
}
