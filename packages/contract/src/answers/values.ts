/*
 * The values of fields that have few, each list with its type. The answers publish them, and the checks of the tables allow them.
 */

/** The sides of a referral. */
export const rewardRoles = ['referee', 'referrer'] as const;
export type RewardRole = (typeof rewardRoles)[number];

/** The kinds of a reward. */
export const rewardTypes = ['points', 'coupon'] as const;
export type RewardType = (typeof rewardTypes)[number];

export const rewardStates = ['pending', 'confirmed', 'revoked', 'cancelled'] as const;
export type RewardState = (typeof rewardStates)[number];

/** The API call that linked a member. */
export const referralSources = ['boot', 'link'] as const;
export type ReferralSource = (typeof referralSources)[number];

/** `none`: the referral needs no review. */
export const reviewStates = ['none', 'pending', 'accepted', 'rejected'] as const;
export type ReviewState = (typeof reviewStates)[number];

/** Why a referral ended when members were merged: its referee has another one, or had referred their own referrer. */
export const referralEnds = ['merged', 'cycle'] as const;
export type ReferralEnd = (typeof referralEnds)[number];

/** `held` deliveries wait for a webhook that is paused or disabled; `exhausted` ones have no retries left. */
export const deliveryStates = ['pending', 'held', 'delivered', 'exhausted', 'cancelled'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Of several states of a webhook, the first of disabled, paused and failing (its breaker is open) takes precedence. */
export const webhookStatuses = ['active', 'paused', 'failing', 'disabled'] as const;

/**
 * Why an attempt has no response: it ended before the head of one was received.
 *
 * - `dns`: the name does not resolve.
 * - `connect`: the connection is not accepted.
 * - `tls`: the handshake or the certificate failed.
 * - `timeout`: a time limit was reached.
 * - `reset`: the connection broke.
 * - `http`: the response is not HTTP, or its headers exceed a limit.
 * - `blocked`: the URL, or every address that it resolves to, is not allowed.
 * - `aborted`: this side ended the attempt.
 */
export const attemptErrors = [
  'dns',
  'connect',
  'tls',
  'timeout',
  'reset',
  'http',
  'blocked',
  'aborted',
] as const;
export type AttemptErrorClass = (typeof attemptErrors)[number];

/** What a boot call can result in; `unverified` reveals nothing. */
export const linkOutcomes = [
  'linked',
  'already_linked',
  'no_code',
  'unknown_code',
  'own_code',
  'cycle',
  'not_new',
  'expired',
  'unverified',
] as const;
