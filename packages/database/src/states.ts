import type { ApiKeyKind, EndpointNoticeEvent } from '@rewardhook/contract';
import type { Correction, Decision, RewardCorrection } from '@rewardhook/rewards';

/*
 * The enumerated values of the schema, each with its type; those that merchants see are declared with the answers of the API. Columns
 * are text with a check in the schema: enums of PostgreSQL would need casts in every statement. schema.integration.test.ts compares
 * these lists to the checks.
 */

export {
  deliveryStates,
  referralEnds,
  referralSources,
  reviewStates,
  rewardRoles,
  rewardStates,
} from '@rewardhook/contract';
export type {
  DeliveryState,
  ReferralEnd,
  ReferralSource,
  ReviewState,
  RewardRole,
  RewardState,
} from '@rewardhook/contract';

/**
 * What a person sees as the state of a delivery: it is held by its paused or disabled webhook; waits for its webhook (circuit breaker,
 * backoff, the operator); is retried after a failed attempt; is being sent; or has ended.
 */
export const deliveryProgresses = [
  'sending',
  'retrying',
  'waiting',
  'held',
  'delivered',
  'failed',
  'cancelled',
] as const;
export type DeliveryProgress = (typeof deliveryProgresses)[number];

/** What a delivery waits for. `requested`: a manual retry of a webhook that is backing off; these are sent one a second. */
export type DeliveryWait =
  | 'disabled'
  | 'paused'
  | 'operator_paused'
  | 'parked'
  | 'requested'
  | 'breaker'
  | 'half_open'
  | 'new_webhook'
  | 'retry_after';

export const keyKinds = ['secret', 'public'] as const satisfies ApiKeyKind[];
export type KeyKind = ApiKeyKind;

/** How an origin was verified: by a file that it serves, or by the operator. */
export const originProofs = ['file', 'operator'] as const;
export type OriginProof = (typeof originProofs)[number];

export const decisionOutcomes = [
  'rewarded',
  'confirmed',
  'adjusted',
  'kept',
  'withdrawn',
  'no_reward',
] as const satisfies Decision['outcome'][];
export type DecisionOutcome = Decision['outcome'];

export const rewardCorrections = ['adjusted', 'revoked'] as const satisfies RewardCorrection[];

export const correctionKinds = ['grant', 'adjust', 'revoke'] as const satisfies Correction['kind'][];

/** What was accepted and is not done yet: orders that are stored and not evaluated, and rewards that were not delivered. */
export const promiseKinds = ['evaluated', 'delivered'] as const;
export type PromiseKind = (typeof promiseKinds)[number];

/**
 * What holds a promise. Orders are `waiting` or `parked`. Deliveries are being sent or retried, or wait for a breaker, for a
 * webhook that is parked, disabled, or paused by its merchant or the operator, or have no retries left; or there is no webhook. The
 * operator can acknowledge the last two.
 */
export const promiseHolders = [
  'waiting',
  'parked',
  'sending',
  'breaker',
  'paused',
  'operator_paused',
  'disabled',
  'exhausted',
  'no_webhook',
  'acknowledged',
] as const;
export type PromiseHolder = (typeof promiseHolders)[number];

export { problemKinds } from '@rewardhook/contract/problems';
export type { ProblemKind } from '@rewardhook/contract/problems';

/** Who a problem was mailed to: the confirmed contact, else the owners of the team, else the operator, else none. */
export const problemRecipients = ['contact', 'owners', 'operator', 'none'] as const;
export type ProblemRecipient = (typeof problemRecipients)[number];

export const replayStates = ['running', 'paused', 'cancelled', 'done'] as const;
export type ReplayState = (typeof replayStates)[number];

/** The stages of a failing endpoint that its merchant is notified of; each is an event type too. */
export const noticeTypes = [
  'endpoint.failing',
  'endpoint.disabling_soon',
  'endpoint.disabled',
] as const satisfies EndpointNoticeEvent['type'][];
export type NoticeType = EndpointNoticeEvent['type'];

export { teamRoles } from '@rewardhook/contract/rights';
export type { TeamRole } from '@rewardhook/contract/rights';

export const accountMailKinds = ['sign_up', 'password_reset', 'invitation', 'contact_confirmation'] as const;
export type AccountMailKind = (typeof accountMailKinds)[number];

/**
 * Who caused an entry of the audit: a user of the console, a program with an API key, an operator, a process on its own, or
 * an unknown person.
 */
export const auditActorKinds = ['user', 'api_key', 'operator', 'system', 'unknown'] as const;
export type AuditActorKind = (typeof auditActorKinds)[number];

export const auditOutcomes = ['done', 'refused'] as const;
export type AuditOutcome = (typeof auditOutcomes)[number];
