import type { RewardQuery, RewardView } from './types.ts';
import { usePages } from './use-pages.ts';

export type RewardFilter = Omit<RewardQuery, 'after' | 'limit'>;

export const useRewards = (filter: RewardFilter) => usePages<RewardView>('/rewards', filter, 5_000);
