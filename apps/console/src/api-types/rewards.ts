import type { Answer, RewardRole, RewardState, RewardType } from '@rewardhook/contract';
import type { DateTime, PageOfMember } from './response.ts';

export type { RewardRole, RewardState };

/** GET /rewards, newest first; GET /rewards.csv with the same filters, oldest first, without `after` and `limit`. */
export interface RewardQuery {
  state?: RewardState;
  member_id?: string;
  order_id?: string;
  role?: RewardRole;
  /** Creation: from inclusive, until exclusive. */
  from?: DateTime;
  until?: DateTime;
  after?: string;
  limit?: number;
}

/** A reward as the API answers with it. */
export type RewardView = Answer<'Reward'>;

/** What the calls that correct rewards have in common. */
interface Correction {
  /** Why, for people. */
  reason: string;
  /** Of the caller's choice: a repeated call with it changes nothing. */
  key: string;
}

/** POST /orders/:order_id/rewards; returns the `RewardView`. */
export interface GrantRewardRequest extends Correction {
  role: RewardRole;
  type: RewardType;
  unit: string;
  amount: number;
  /** Whether it may exceed caps and the budget. */
  exceed_limits: boolean;
  /** Whether it may be given beside live rewards of the role for this order; otherwise 409 `reward_exists`. */
  another: boolean;
}

/** POST /rewards/:reward_id/adjust; returns the `RewardView` with the new amount. */
export interface AdjustRewardRequest extends Correction {
  amount: number;
  exceed_limits: boolean;
}

/** POST /rewards/:reward_id/revoke; returns the `RewardView`. */
export type RevokeRewardRequest = Correction;

export type RewardPage = PageOfMember<RewardView>;
