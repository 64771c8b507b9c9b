import type { HiddenGuard } from './defect.ts';

/** Guards that no run can miss, because another one stands before them. */
export const hiddenGuards: readonly HiddenGuard[] = [
  {
    guard: 'rewards_live_key',
    file: 'packages/database/src/rewards/rewards.ts',
    hiddenBy: 'the lock on the referral, and the ids of rewards, which are derived from the same columns',
  },
];
