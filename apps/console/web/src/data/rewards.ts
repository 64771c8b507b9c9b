import { change } from './request.ts';
import type { RewardQuery, RewardView } from './types.ts';
import { useChange } from './use-change.ts';
import { usePages } from './use-pages.ts';

export type RewardFilter = Omit<RewardQuery, 'after' | 'limit'>;

export const useRewards = (filter: RewardFilter) => usePages<RewardView>('/rewards', filter, 5_000);

/** Corrects the rewards of an order: the path of the correction with its body. */
export const useCorrectReward = () =>
  useChange(
    ({ path, body }: { path: string; body: object }) => change<RewardView>('POST', path, body),
    [['/rewards'], ['/orders'], ['/referrals'], ['/members'], ['/home']],
  );
