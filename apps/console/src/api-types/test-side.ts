import type { DecisionOutcome, DeliveryState, SampleReward } from '@rewardhook/database';
import type { ReasonCode } from '@rewardhook/rewards';
import type { DateTime } from './response.ts';

/** GET /test/test-data; DELETE (owner) → 202: the data of the test side is deleted in the background. */
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

/**
 * POST /test/samples (developer) → 201; GET /test/samples/:order_id; POST /test/samples/:order_id/end-hold (developer): two
 * members, their referral and a paid order of the referee.
 */
export interface SampleView {
  order_id: string;
  referrer_member_id: string;
  referee_member_id: string;
  step: SampleStep;
  /** The newest decision about the order. */
  decision: { outcome: DecisionOutcome; reason: ReasonCode } | null;
  rewards: SampleReward[];
  /** Of the events `reward.issue` of these rewards. */
  deliveries: { id: string; state: DeliveryState; attempts: number }[];
  /** Webhooks that are registered for `reward.issue`, without disabled ones. */
  webhooks: number;
}
