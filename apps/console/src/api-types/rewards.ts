import type { RewardState, Role } from '@rewardhook/rewards';
import type { DateTime, Page } from './response.ts';

export type { RewardState };
export type RewardRole = Role;

/** GET /rewards, newest first; GET /rewards.csv with the same filters, oldest first, without `after` and `limit`. */
export interface RewardQuery {
  state?: RewardState;
  member_id?: string;
  role?: RewardRole;
  /** Creation: from inclusive, until exclusive. */
  from?: DateTime;
  until?: DateTime;
  after?: string;
  limit?: number;
}

export interface RewardView {
  id: string;
  state: RewardState;
  role: RewardRole;
  member_id: string;
  order_id: string;
  referral_id: string;
  type: 'points' | 'coupon';
  amount: number;
  unit: string;
  program_version: number;
  created_at: DateTime;
  confirm_due_at: DateTime | null;
  confirmed_at: DateTime | null;
  ended_at: DateTime | null;
}

export type RewardPage = Page<RewardView>;
