// The public entry of the package: all other files are private. One block for each folder.

export { migrationSettings } from './environment.ts';
export { openDatabase, poolUse, probeDatabase } from './client/client.ts';
export type { Database } from './client/client.ts';
export { connectDatabase } from './client/connect-database.ts';
export {
  DatabaseProblem,
  databaseProblemOf,
  isDatabaseOutage,
  isDataError,
  isTransient,
} from './client/database-errors.ts';
export { checkDatabase, watchDatabase } from './client/check-database.ts';
export { EditConflict } from './client/edit-conflict.ts';
export { eventTime } from './client/timestamps.ts';

export {
  accountMailKinds,
  auditActorKinds,
  auditOutcomes,
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
  AuditActorKind,
  AuditOutcome,
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

export { auditActions } from './audit/audit-actions.ts';
export type { AuditAction } from './audit/audit-actions.ts';
export { pruneAuditEntries } from './audit/audit-entries.ts';
export type { AuditActor } from './audit/audit-entries.ts';
export { audit, audited, noteAudit, noteUnchanged } from './audit/audited.ts';
export type { AuditedCall, AuditNote } from './audit/audited.ts';

export { migrateDatabase } from './migrations/migrate.ts';
export { migrationsFolder, readMigrations } from './migrations/migration-files.ts';
export { readReleases, releasesFile } from './migrations/releases.ts';
export { schemaDifference } from './migrations/schema-engine.ts';

export { accountLimits, LimitReached } from './merchants/account-limits.ts';
export {
  findKeyOwner,
  insertApiKey,
  listApiKeys,
  newApiKey,
  revokeApiKey,
  updateApiKeysLastUsed,
} from './merchants/api-keys.ts';
export type { KeyCreator, KeyOwner, NewApiKey } from './merchants/api-keys.ts';
export {
  findIdentitySecret,
  findLinkingSettings,
  findMerchant,
  listMerchants,
  updateLinkingSettings,
  updateMerchant,
} from './merchants/merchants.ts';
export type { LinkingSettings, ListedMerchant } from './merchants/merchants.ts';
export { insertMerchant, newMerchant } from './merchants/new-merchant.ts';
export type { NewMerchant, NewOwner } from './merchants/new-merchant.ts';
export { identitySecretContext, openSealer, SealError, signingKeyContext } from './merchants/sealer.ts';
export type { Sealer, SecretContext } from './merchants/sealer.ts';
export { ensureTestSide, findLiveRule, findTestSide } from './merchants/test-side.ts';
export type { TestSideCreation } from './merchants/test-side.ts';
export { findWipe, finishWipe, listPendingWipes, requestWipe, wipeBatch } from './merchants/wipe.ts';
export type { PendingWipe, WipeState } from './merchants/wipe.ts';
export { countSealedSecrets, resealSecrets } from './merchants/sealed-secrets.ts';
export type { Resealed, SealedCounts } from './merchants/sealed-secrets.ts';
export { deleteSigningKeys, listSigningKeys, rotateSigningKey } from './merchants/signing-keys.ts';
export { findBadTimeZones, listTimeZones, UnknownTimeZone } from './merchants/time-zones.ts';
export { insertVerifiedOrigin, isOriginVerified, listVerifiedOrigins } from './merchants/verified-origins.ts';
export type { VerifiedOrigin } from './merchants/verified-origins.ts';

export { findSampleProgress } from './console/samples.ts';
export type { SampleIds, SampleProgress, SampleReward } from './console/samples.ts';
export { findClickAge, findShareLink, insertClick } from './members/clicks.ts';
export type { ShareLink } from './members/clicks.ts';
export { eraseMember, ErasureRefused } from './members/erasure.ts';
export type { Erasure } from './members/erasure.ts';
export { ensureMember, findMember, findMemberByCode, findMemberCode, hasOrders } from './members/members.ts';
export { findMemberSummary, type MemberSummary } from './members/member-summary.ts';
export {
  findReferral,
  insertReferral,
  ReferralCycle,
  reviewReferral,
  StaleReferralCode,
} from './members/referrals.ts';
export type { NewReferral, Referral, ReferralReview, ReviewedReferral } from './members/referrals.ts';

export { findOrder, upsertOrders } from './orders/orders.ts';
export {
  countUnknownBatches,
  countUnknownEndpoints,
  describeRestoredData,
  listUnknownMerchants,
} from './operations/after-restore.ts';
export type { RestoredData } from './operations/after-restore.ts';
export { findInstallationId, renewInstallationId } from './operations/installation.ts';
export { findFreeVersion, findVersionCeiling, raiseVersionCeiling } from './orders/version-ceiling.ts';
export type { VersionCeiling } from './orders/version-ceiling.ts';
export type { OrderBatch } from './orders/orders.ts';

export type { DecisionRow } from './evaluation/decisions.ts';
export { countBacklog, findFaults } from './operations/doctor.ts';
export { readWaitingWork } from './operations/waiting-work.ts';
export type { WaitingWork } from './operations/waiting-work.ts';
export type { Backlog, Findings } from './operations/doctor.ts';
export {
  enqueueEndedHolds,
  enqueueOrdersOfReferral,
  failuresBeforeSplit,
  findDueBatches,
  sweepDueBatches,
  sweepReferrals,
} from './evaluation/due-batches.ts';
export type { BatchRequest, DueBatch } from './evaluation/due-batches.ts';
export { evaluateBatches } from './evaluation/evaluate-batches.ts';
export type {
  Decide,
  EvaluatedBatch,
  EvaluatedBatches,
  EvaluationRows,
  EventRow,
  TraceRequests,
} from './evaluation/evaluate-batches.ts';
export type { DueOrder } from './evaluation/evaluation-input.ts';
export { explainOrder } from './evaluation/explain-order.ts';
export {
  countParked,
  listParked,
  recordFailure,
  retryParked,
  parkOrder,
  unparkDecided,
} from './evaluation/failing-batches.ts';
export type { ParkedOrders } from './evaluation/failing-batches.ts';
export { streamSimulationOrders } from './evaluation/simulation.ts';
export type { SimulationRange } from './evaluation/simulation.ts';

export { listPrograms, publishProgram } from './rewards/programs.ts';
export type { PublishedProgram } from './rewards/programs.ts';
export { endHold } from './rewards/end-hold.ts';
export { rewardExportColumns, startOfDay, streamRewards } from './rewards/reward-export.ts';
export type { RewardChange, RewardRow } from './rewards/rewards.ts';

export { listFeedPage } from './events/feed.ts';
export { FeedCursorExpired } from './events/feed-position.ts';
export type { FeedPosition } from './events/feed-position.ts';
export type { FeedPage, FeedQuery } from './events/feed.ts';

export {
  enableEndpoint,
  pauseEndpoint,
  resumeEndpoint,
  updateRetryHours,
} from './endpoints/endpoint-control.ts';
export { cancelDeliveriesOfDeletedEndpoints, releaseHeldDeliveries } from './endpoints/held-deliveries.ts';
export { initialRampPerSecond, updateEndpointHealth } from './endpoints/endpoint-health.ts';
export type { EndpointHealth, EndpointHealthUpdate } from './endpoints/endpoint-health.ts';
export type { EndpointLimits } from './endpoints/endpoint-limits.ts';
export { recordEndpointTransition } from './endpoints/endpoint-transitions.ts';
export type { EndpointTransition } from './endpoints/endpoint-transitions.ts';
export {
  deleteEndpoint,
  insertEndpoint,
  listEndpoints,
  registerEndpoint,
  updateEndpoint,
} from './endpoints/endpoints.ts';
export { openTestEventStore } from './endpoints/test-events.ts';
export { findSignedEndpoint } from './endpoints/signed-endpoint.ts';
export type { SignedEndpoint } from './endpoints/signed-endpoint.ts';
export type { TestEventRequest } from './endpoints/test-events.ts';
export { claimDigest, completeAllNotices, completeDigest, postponeDigest } from './endpoints/notice-mail.ts';
export type { ClaimedDigest, DigestNotice } from './endpoints/notice-mail.ts';
export { insertNotice } from './endpoints/notices.ts';
export type { NewNotice } from './endpoints/notices.ts';
export { listParkedEndpoints, parkEndpoint, unparkEndpoints } from './endpoints/park-endpoint.ts';
export type { ParkedEndpoint } from './endpoints/park-endpoint.ts';
export { findSendableEndpoints, listDueEndpoints } from './endpoints/sendable-endpoints.ts';
export type { EndpointKey, SendableEndpoint } from './endpoints/sendable-endpoints.ts';
export { deleteExpiredHosts, reserveHostSlot } from './endpoints/webhook-hosts.ts';

export { claimDeliveries, claimManualRetries, releaseDeliveries } from './deliveries/claim-deliveries.ts';
export type { Claim, ClaimedDelivery, ClaimResult } from './deliveries/claim-deliveries.ts';
export { findDelivery, listDeliveries } from './deliveries/find-deliveries.ts';
export { recordAttempts, recordMissingAttempts } from './deliveries/record-attempts.ts';
export type { AttemptRecord } from './deliveries/record-attempts.ts';
export { retryDelivery } from './deliveries/retry-delivery.ts';

export { previewReplay, previewReplayWithin } from './replays/preview-replay.ts';
export type { PartialReplayPreview, ReplayPreview } from './replays/preview-replay.ts';
export { replayableStates } from './replays/replay-filter.ts';
export type { ReplayableState, ReplayFilter, ReplaySkip } from './replays/replay-filter.ts';
export {
  cancelReplay,
  createReplay,
  findReplay,
  listReplays,
  pauseReplay,
  replayCountMs,
  resumeReplay,
} from './replays/replays.ts';
export type { ReplayRow } from './replays/replays.ts';
export { runReplayBatch } from './replays/run-replay-batch.ts';
export type { ReplayBatch } from './replays/run-replay-batch.ts';

export {
  claimAccountMail,
  deleteAccountMail,
  insertAccountMail,
  storeAccountMail,
  postponeAccountMail,
} from './accounts/account-mails.ts';
export type { ClaimedAccountMail, NewAccountMail } from './accounts/account-mails.ts';
export {
  confirmContact,
  findContactConfirmation,
  findPendingContact,
  renewContactConfirmation,
  resendContactConfirmation,
} from './accounts/contact-confirmations.ts';
export {
  acceptInvitation,
  findInvitation,
  insertInvitation,
  listInvitations,
  newInvitation,
  renewInvitationLink,
  revokeInvitation,
} from './accounts/invitations.ts';
export type {
  InvitationLink,
  InvitationRow,
  NewInvitation,
  OpenInvitationRow,
} from './accounts/invitations.ts';
export { hashLinkToken } from './accounts/link-token.ts';
export { listMemberships, listTeam, updateMembership } from './accounts/memberships.ts';
export type { MembershipUpdate, TeamMemberRow, UserMembership } from './accounts/memberships.ts';
export { findPasswordReset, resetPassword, upsertPasswordReset } from './accounts/password-resets.ts';
export type { PasswordResetLink } from './accounts/password-resets.ts';
export {
  deleteSession,
  endSession,
  findSession,
  insertSession,
  selectSessionMerchant,
  updateSessionMerchant,
} from './accounts/sessions.ts';
export type { NewSession, Session, SessionTimes } from './accounts/sessions.ts';
export { completeSignUp, findSignUp, insertSignUp } from './accounts/sign-ups.ts';
export type { SignUpLink } from './accounts/sign-ups.ts';
export { findUser, findUserByEmail, isEmailTaken, normalizeEmail, updatePassword } from './accounts/users.ts';
export type { NewUser, User } from './accounts/users.ts';

export { findChecklist, summarizeActivity } from './console/activity.ts';
export type { ActivityRow, Buckets, Checklist } from './console/activity.ts';
export { countActivity } from './console/activity-counts.ts';
export type { CountOptions } from './console/activity-counts.ts';
export { findAuditFilters, listAuditPage } from './console/audit.ts';
export type { AuditRow, AuditSearch } from './console/audit.ts';
export { findDeliveryDetails, listDeliveriesPage } from './console/deliveries.ts';
export type { AttemptDetails, DeliveryDetails, DeliveryRow, DeliverySearch } from './console/deliveries.ts';
export {
  findEndpointDetails,
  findEndpointState,
  listEndpointsPage,
  listEndpointStates,
} from './console/endpoints.ts';
export type { EndpointRow, EndpointState } from './console/endpoints.ts';
export { CursorError } from './console/list-page.ts';
export type { ListPage, PageRequest } from './console/list-page.ts';
export { listMembersPage } from './console/members.ts';
export type { MemberRow } from './console/members.ts';
export { listReferralsPage } from './console/referrals.ts';
export type { ReferralRow, ReferralSearch } from './console/referrals.ts';
export { findOrderDetails, listOrdersPage } from './console/orders.ts';
export type { OrderListRow, OrderRow } from './console/orders.ts';
export { findReplayDetails, listReplaysPage } from './console/replays.ts';
export type { ReplayListRow } from './console/replays.ts';
export { listRewardsPage } from './console/rewards.ts';
export type { RewardListRow, RewardSearch } from './console/rewards.ts';
export { findEventBody, listAllSigningKeys, recordSignatureChecked } from './console/signature-checks.ts';
export type { SealedSigningKey } from './console/signature-checks.ts';

export { pruneDatabase } from './retention/prune.ts';
export type { PruneOptions, Pruning } from './retention/prune.ts';
export { readRetention } from './retention/read-retention.ts';
export type { TableRetention } from './retention/read-retention.ts';
export { PruningInterrupted } from './retention/prune-run.ts';
export type { TablePruning } from './retention/prune-run.ts';
export type { RetentionPolicy } from './retention/retention-policy.ts';
