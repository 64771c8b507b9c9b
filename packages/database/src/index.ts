export { accountLimits } from './account-limits.ts';
export { addApiKey, findKeyOwner, listApiKeys, revokeApiKey, touchApiKeys } from './api-keys.ts';
export type { KeyCreator, KeyOwner, NewApiKey } from './api-keys.ts';
export { ChangedMeanwhile } from './changed-meanwhile.ts';
export { openDatabase, pingDatabase } from './client.ts';
export type { Database } from './client.ts';
export { isRefused, isTransient } from './conflicts.ts';
export {
  countParked,
  failuresBeforeSplit,
  forgetDecided,
  listParked,
  recordFailure,
  retryParked,
  splitOrPark,
  takeFailingBatch,
} from './failing-batches.ts';
export type { ParkedOrders } from './failing-batches.ts';
export { findClickAge, findShareLink, insertClick } from './clicks.ts';
export type { ShareLink } from './clicks.ts';
export { claimDeliveries, claimRetries, releaseDeliveries } from './deliveries.ts';
export { recordAttempts, recordAttemptsAgain } from './record-attempts.ts';
export type { AttemptRow } from './record-attempts.ts';
export type { Claim, Claimed, ClaimedDelivery } from './deliveries.ts';
export { findDelivery, listDeliveries } from './find-deliveries.ts';
export { retryDelivery } from './retry-delivery.ts';
export { findSendableEndpoints, listDueEndpoints } from './sendable-endpoints.ts';
export type { EndpointName, SendableEndpoint } from './sendable-endpoints.ts';
export { storeEndpointChange, storeEndpointFindings } from './endpoint-health.ts';
export type { EndpointChange, EndpointFinding, EndpointHealth } from './endpoint-health.ts';
export * from './console/index.ts';
export { countBacklog, findFaults } from './doctor.ts';
export type { Backlog, Findings } from './doctor.ts';
export { markOrdersOfReferral } from './due-batches.ts';
export type { DueBatch } from './due-batches.ts';
export { markHoldsOver, sweepDueBatches, sweepReferrals } from './due-sweeps.ts';
export {
  cancelOfDeleted,
  pauseSending,
  releaseHeld,
  resumeSending,
  setRetryHours,
} from './endpoint-control.ts';
export {
  deleteEndpoint,
  enableEndpoint,
  firstDrainPerSecond,
  insertEndpoint,
  listEndpoints,
  registerEndpoint,
} from './endpoints.ts';
export { eraseMember, ErasureRefused } from './erasure.ts';
export type { Erasure } from './erasure.ts';
export { readFeed } from './event-feed.ts';
export type { FeedPage, FeedQuery } from './event-feed.ts';
export { readRewards, rewardExportColumns, startOfDay } from './exports.ts';
export type { DueOrder } from './judgement-input.ts';
export { explainOrder } from './explain-order.ts';
export type { Explanation } from './explain-order.ts';
export type { Happening } from './explanations.ts';
export { judgeBatch } from './judgements.ts';
export type { Decide, JudgedBatch, JudgementRows } from './judgements.ts';
export type { ProgramUse } from './judgement-locks.ts';
export { eventTime } from './clock.ts';
export { laterOf } from './iso-utc.ts';
export type { DecisionRow } from './decision-rows.ts';
export type { EventRow, RewardChange, RewardRow } from './judgement-rows.ts';
export {
  CodeGone,
  ensureMember,
  findMember,
  findMemberByCode,
  findMemberCode,
  findReferral,
  hasOrders,
  insertReferral,
  ReferralCycle,
} from './members.ts';
export type { NewReferral, Referral } from './members.ts';
export { reviewReferral } from './reviews.ts';
export { insertVerifiedOrigin, isOriginVerified, listVerifiedOrigins } from './verified-origins.ts';
export type { VerifiedOrigin } from './verified-origins.ts';
export type { ReferralReview, ReviewedReferral } from './reviews.ts';
export {
  findIdentitySecret,
  findLinking,
  findMerchant,
  insertMerchant,
  updateLinking,
  updateMerchant,
} from './merchants.ts';
export type { Linking, NewMerchant, NewOwner } from './merchants.ts';
export { migrateDatabase, migrationsFolder } from './migrate.ts';
export { insertNotice } from './notices.ts';
export type { NewNotice, NoticeType } from './notices.ts';
export { claimDigest, endDigest, endNotices, postponeDigest } from './notice-mail.ts';
export type { ClaimedDigest, DigestNotice } from './notice-mail.ts';
export { newApiKey } from './new-api-key.ts';
export { newMerchant } from './new-merchant.ts';
export { findOrder, upsertOrders, upsertOrdersSql } from './orders.ts';
export type { OrderBatch, Upserted } from './orders.ts';
export { openPing } from './pings.ts';
export type { PingAttempt, PingRecords, StoredPing } from './pings.ts';
export { findBadTimeZones, listTimeZones, TimeZoneRefused } from './time-zones.ts';
export { listPrograms, publishProgram } from './programs.ts';
export type { PublishedProgram } from './programs.ts';
export { replayableStates } from './replay-filter.ts';
export type { ReplayableState, ReplayFilter, ReplaySkip } from './replay-filter.ts';
export { takeReplayPortion } from './replay-portions.ts';
export type { ReplayPortion } from './replay-portions.ts';
export {
  cancelReplay,
  createReplay,
  findReplay,
  listReplays,
  pauseReplay,
  previewReplay,
  resumeReplay,
} from './replays.ts';
export type { ReplayPreview, ReplayRow } from './replays.ts';
export { schemaDifference } from './schema-difference.ts';
export { checkStore, storeProblemOf, StoreProblem, watchStore } from './store-problem.ts';
export { identitySecretPlace, openSealer, SealError, signingKeyPlace } from './sealer.ts';
export type { Sealer, SecretPlace } from './sealer.ts';
export { deleteSigningKeys, listSigningKeys, rotateSigningKey } from './signing-keys.ts';
export { replayOrders } from './simulation.ts';
export type { Replay } from './simulation.ts';
export type { EndpointLimits } from './endpoint-limits.ts';
export { LimitReached } from './limit-reached.ts';
export { forgetHosts, reserveHost } from './webhook-hosts.ts';
