import type { SampleProgress } from '@rewardhook/database';
import type { DateTime } from './response.ts';

/** The deletion of the data of the test side, which runs in the background. */
export interface TestDataView {
  /** Since when it is being deleted; null when it is not. */
  deleting_since: DateTime | null;
  /** When a deletion last ended. */
  deleted_at: DateTime | null;
}

/**
 * How far a sample is: its order is stored, evaluated; its rewards are pending until the end of the hold, or there are
 * none; their webhooks are sent, or have been tried at least once each (`done`).
 */
export type SampleStep = 'storing' | 'evaluating' | 'holding' | 'no_reward' | 'delivering' | 'done';

/** Two members, their referral and a paid order of the referee. */
export interface SampleView extends Omit<SampleProgress, 'stored'> {
  order_id: string;
  referrer_member_id: string;
  referee_member_id: string;
  step: SampleStep;
}
