export { accountLimits } from './merchants/account-limits.ts';
export {
  insertApiKey,
  newApiKey,
  findKeyOwner,
  listApiKeys,
  revokeApiKey,
  updateApiKeysLastUsed,
} from './merchants/api-keys.ts';
export type { KeyCreator, KeyOwner, NewApiKey } from './merchants/api-keys.ts';
export { EditConflict } from './client/edit-conflict.ts';
export { connectDatabase } from './client/connect-database.ts';
export { openDatabase, pingDatabase } from './client/client.ts';
export type { Database } from './client/client.ts';
export { isDataError, isTransient } from './client/database-errors.ts';
export {
  countParked,
  failuresBeforeSplit,
  unparkDecided,
  listParked,
  recordFailure,
  retryParked,
  splitOrPark,
  claimFailingBatch,
} from './evaluation/failing-batches.ts';
export type { ParkedOrders } from './evaluation/failing-batches.ts';
export { findClickAge, findShareLink, insertClick } from './members/clicks.ts';
export type { ShareLink } from './members/clicks.ts';
export { claimDeliveries, claimManualRetries, releaseDeliveries } from './deliveries/claim-deliveries.ts';
export { recordAttempts, recordMissingAttempts } from './deliveries/record-attempts.ts';
export type { AttemptRecord } from './deliveries/record-attempts.ts';
export type { Claim, ClaimResult, ClaimedDelivery } from './deliveries/claim-deliveries.ts';
export { findDelivery, listDeliveries } from './deliveries/find-deliveries.ts';
export { retryDelivery } from './deliveries/retry-delivery.ts';
export { findSendableEndpoints, listDueEndpoints } from './endpoints/sendable-endpoints.ts';
export type { EndpointKey, SendableEndpoint } from './endpoints/sendable-endpoints.ts';
export { initialRampPerSecond, updateEndpointHealth } from './endpoints/endpoint-health.ts';
export type { EndpointHealth, EndpointHealthUpdate } from './endpoints/endpoint-health.ts';
export { recordEndpointTransition } from './endpoints/endpoint-transitions.ts';
export type { EndpointTransition } from './endpoints/endpoint-transitions.ts';
export * from './console/index.ts';
export { countBacklog, findFaults } from './evaluation/doctor.ts';
export type { Backlog, Findings } from './evaluation/doctor.ts';
export { enqueueOrdersOfReferral } from './evaluation/due-batches.ts';
export type { DueBatch } from './evaluation/due-batches.ts';
export { enqueueEndedHolds, sweepDueBatches, sweepReferrals } from './evaluation/due-sweeps.ts';
export {
  cancelDeliveriesOfDeletedEndpoints,
  enableEndpoint,
  pauseEndpoint,
  releaseHeldDeliveries,
  resumeEndpoint,
  updateRetryHours,
} from './endpoints/endpoint-control.ts';
export {
  deleteEndpoint,
  insertEndpoint,
  listEndpoints,
  registerEndpoint,
  updateEndpoint,
} from './endpoints/endpoints.ts';
export { eraseMember, ErasureRefused } from './members/erasure.ts';
export type { Erasure } from './members/erasure.ts';
export { listFeedPage } from './events/feed.ts';
export type { FeedPage, FeedQuery } from './events/feed.ts';
export { streamRewards, rewardExportColumns, startOfDay } from './rewards/reward-export.ts';
export type { DueOrder } from './evaluation/evaluation-input.ts';
export { explainOrder } from './evaluation/explain-order.ts';
export { evaluateBatch } from './evaluation/evaluate-batch.ts';
export type { Decide, EvaluatedBatch, EvaluationRows } from './evaluation/evaluate-batch.ts';
export { eventTime } from './client/timestamps.ts';
export { laterOf } from './client/timestamps.ts';
export type { DecisionRow } from './evaluation/decisions.ts';
export type { EventRow, RewardChange, RewardRow } from './rewards/reward-rows.ts';
export { ensureMember, findMember, findMemberByCode, findMemberCode, hasOrders } from './members/members.ts';
export {
  findReferral,
  insertReferral,
  ReferralCycle,
  reviewReferral,
  StaleReferralCode,
} from './members/referrals.ts';
export type { NewReferral, Referral, ReferralReview, ReviewedReferral } from './members/referrals.ts';
export { insertVerifiedOrigin, isOriginVerified, listVerifiedOrigins } from './merchants/verified-origins.ts';
export type { VerifiedOrigin } from './merchants/verified-origins.ts';
export {
  findIdentitySecret,
  findLinkingSettings,
  findMerchant,
  insertMerchant,
  updateLinkingSettings,
  updateMerchant,
} from './merchants/merchants.ts';
export type { LinkingSettings, NewMerchant, NewOwner } from './merchants/merchants.ts';
export { migrateDatabase, migrationsFolder } from './migrations/migrate.ts';
export { insertNotice } from './endpoints/notices.ts';
export type { NewNotice } from './endpoints/notices.ts';
export { claimDigest, completeDigest, completeAllNotices, postponeDigest } from './endpoints/notice-mail.ts';
export type { ClaimedDigest, DigestNotice } from './endpoints/notice-mail.ts';
export { newMerchant } from './merchants/new-merchant.ts';
export { findOrder, upsertOrders, upsertOrdersSql } from './orders/orders.ts';
export type { OrderBatch, UpsertedOrders } from './orders/orders.ts';
export { openPingStore } from './endpoints/pings.ts';
export { findBadTimeZones, listTimeZones, UnknownTimeZone } from './merchants/time-zones.ts';
export { listPrograms, publishProgram } from './rewards/programs.ts';
export type { PublishedProgram } from './rewards/programs.ts';
export { replayableStates } from './replays/replay-filter.ts';
export type { ReplayableState, ReplayFilter, ReplaySkip } from './replays/replay-filter.ts';
export { runReplayBatch } from './replays/run-replay-batch.ts';
export type { ReplayBatch } from './replays/run-replay-batch.ts';
export {
  cancelReplay,
  createReplay,
  findReplay,
  listReplays,
  pauseReplay,
  resumeReplay,
} from './replays/replays.ts';
export type { ReplayRow } from './replays/replays.ts';
export { previewReplay } from './replays/preview-replay.ts';
export type { ReplayPreview } from './replays/preview-replay.ts';
export { schemaDifference } from './migrations/schema-difference.ts';
export {
  checkDatabase,
  databaseProblemOf,
  DatabaseProblem,
  watchDatabase,
} from './client/database-problem.ts';
export { identitySecretContext, openSealer, SealError, signingKeyContext } from './merchants/sealer.ts';
export type { Sealer, SecretContext } from './merchants/sealer.ts';
export { deleteSigningKeys, listSigningKeys, rotateSigningKey } from './merchants/signing-keys.ts';
export { streamSimulationOrders } from './evaluation/simulation.ts';
export type { Replay } from './evaluation/simulation.ts';
export type { EndpointLimits } from './endpoints/endpoint-limits.ts';
export { LimitReached } from './merchants/account-limits.ts';
export { deleteExpiredHosts, reserveHostSlot } from './endpoints/webhook-hosts.ts';
export {
  accountMailKinds,
  decisionOutcomes,
  deliveryStates,
  keyKinds,
  noticeTypes,
  originProofs,
  referralSources,
  replayStates,
  reviewStates,
  rewardRoles,
  rewardStates,
  teamRoles,
} from './states.ts';
export type {
  AccountMailKind,
  DecisionOutcome,
  DeliveryState,
  KeyKind,
  NoticeType,
  OriginProof,
  ReferralSource,
  ReplayState,
  ReviewState,
  RewardRole,
  RewardState,
  TeamRole,
} from './states.ts';
