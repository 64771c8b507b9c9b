import { apiPath } from './request.ts';
import type { RewardQuery, RewardView } from './types.ts';
import { usePages } from './use-pages.ts';

export type RewardFilter = Omit<RewardQuery, 'after' | 'limit'>;

export const useRewards = (filter: RewardFilter) => usePages<RewardView>('/rewards', filter, 5_000);

/** Where the same rewards are as CSV. */
export const rewardsCsv = (filter: RewardFilter): string => apiPath('/rewards.csv', filter);
