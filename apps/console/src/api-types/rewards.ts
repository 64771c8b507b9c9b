import type { RewardRole, RewardState, RewardType } from '@rewardhook/contract';
import type { RewardSearch } from '@rewardhook/database';
import type { DateTime } from './response.ts';

export type { RewardTotals } from '@rewardhook/database';

export type { RewardRole, RewardState };

/** Which rewards to list. */
export interface RewardFilter {
  state?: RewardState;
  member_id?: string;
  order_id?: string;
  role?: RewardRole;
  /** Which time the range and the order mean; the default is `given`. */
  by?: NonNullable<RewardSearch['by']>;
  /** From inclusive, until exclusive. */
  from?: DateTime;
  until?: DateTime;
}

/** What the calls that correct rewards, links and members have in common; a revocation has nothing else. */
export interface Correction {
  /** Why, for people. */
  reason: string;
  /** Of the caller's choice: a repeated call with it changes nothing. */
  key: string;
}

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

export interface AdjustRewardRequest extends Correction {
  amount: number;
  exceed_limits: boolean;
}
