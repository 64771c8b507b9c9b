import type { DateTime, Page } from './response.ts';
import type { OrderListItem } from './orders.ts';
import type { RewardView } from './rewards.ts';

/** GET /members?search=, by member id; `search` is the beginning of a member id, or a referral code. `/members.csv`: all rows. */
export interface MemberItem {
  member_id: string;
  code: string;
  created_at: DateTime;
  /** Who brought him; null when nobody did. */
  referrer_member_id: string | null;
  referees: number;
}

export type MemberPage = Page<MemberItem>;

export interface ReferralView {
  id: string;
  referrer_member_id: string;
  referee_member_id: string;
  code: string;
  source: 'boot' | 'link';
  /** What looked odd when it was linked: code_velocity, address_velocity, …; empty when nothing did. */
  flags: string[];
  linked_at: DateTime;
  /** `pending`: its rewards stay pending until somebody accepts it. */
  review: 'none' | 'pending' | 'accepted' | 'rejected';
  /** Who accepted or rejected it: a user's e-mail address, or `operator`. */
  reviewed_by: string | null;
  reviewed_at: DateTime | null;
}

/**
 * GET /referrals/:id. POST /referrals/:id/accept and /referrals/:id/reject (developer) return it too; 409 when it does
 * not need review.
 */
export interface ReferralDetail {
  referral: ReferralView;
  /** The newest 50 that it earned. */
  rewards: RewardView[];
}

/** GET /referrals?flagged=true&review=pending&member_id= (either side), newest first. `/referrals.csv`: all rows. */
export type ReferralPage = Page<ReferralView>;

/** GET /members/:member_id (percent-encoded). Lists hold the newest 50. */
export interface MemberView {
  member_id: string;
  /** Null for somebody who has orders and was neither booted nor linked. */
  code: string | null;
  created_at: DateTime | null;
  /** The share link; null when the merchant has no landing URL or the service no public address. */
  link: string | null;
  referrer: ReferralView | null;
  referees: ReferralView[];
  referees_total: number;
  orders: OrderListItem[];
  rewards: RewardView[];
}
