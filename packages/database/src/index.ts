// The entry `.`: Prisma's client, and what the API, the console and the commands use. All other files are private.

export * from './base.ts';
export { ActRefused } from './acts.ts';
export type { RefusalAnswers, RefusalOf } from './acts.ts';
export { findMerchants, findWebhooks } from './merchants/find-merchants.ts';
export { acknowledgeProblem, listProblems } from './problems/problems.ts';
export type { ProblemRow } from './problems/problems.ts';
export { countMerchantProblems, listMerchantProblems } from './problems/merchant-problems.ts';
export type { MerchantProblemRow } from './problems/merchant-problems.ts';
export { problemKinds } from './states.ts';
export type { ProblemKind } from './states.ts';
export {
  claimAccountMail,
  deleteAccountMail,
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
export type { InvitationRow } from './accounts/invitations.ts';
export { hashLinkToken } from './accounts/link-token.ts';
export { listMemberships, listTeam, updateMembership } from './accounts/memberships.ts';
export type { MembershipUpdate, TeamMemberRow } from './accounts/memberships.ts';
export { findPasswordReset, resetPassword, upsertPasswordReset } from './accounts/password-resets.ts';
export {
  deleteSession,
  endSession,
  findSession,
  insertSession,
  selectSessionMerchant,
  updateSessionMerchant,
  updateSessionPassword,
} from './accounts/sessions.ts';
export type { SessionTimes } from './accounts/sessions.ts';
export { completeSignUp, findSignUp, insertSignUp } from './accounts/sign-ups.ts';
export { findUser, findUserByEmail, isEmailTaken, normalizeEmail, updatePassword } from './accounts/users.ts';
export type { User } from './accounts/users.ts';
export { auditActions } from './audit/audit-actions.ts';
export type { AuditAction } from './audit/audit-actions.ts';
export { audit, audited, noteAudit, noteUnchanged } from './audit/audited.ts';
export type { AuditedCall } from './audit/audited.ts';
export type { Database } from './client/client.ts';
export { connectDatabase } from './client/connect-database.ts';
export { EditConflict } from './client/edit-conflict.ts';
export { openDatabase } from './client/prisma.ts';
export { findChecklist, hasDeliveredReward } from './reads/checklist.ts';
export type { Checklist } from './reads/checklist.ts';
export { findAuditFilters, listAuditPage } from './reads/audit.ts';
export type { AuditActorRow, AuditRow } from './reads/audit.ts';
export { findDeliveryDetails, listDeliveriesPage, listDeliveriesWithProgress } from './reads/deliveries.ts';
export type { AttemptDetails, DeliveryDetails, DeliveryListRow, DeliveryRow } from './reads/deliveries.ts';
export { answerClasses, isDeliveryAnswer } from './reads/delivery-progress.ts';
export type { DeliveryAnswer } from './reads/delivery-progress.ts';
export {
  findEndpointDetails,
  findEndpointState,
  listEndpointsPage,
  listEndpointStates,
} from './reads/endpoints.ts';
export type { EndpointRow, EndpointState } from './reads/endpoints.ts';
export { CursorError } from './reads/list-page.ts';
export type { ListPage, PageRequest, SearchedTo } from './reads/list-page.ts';
export { readMemberTotals } from './reads/member-totals.ts';
export type { MemberTotals } from './reads/member-totals.ts';
export { listMembersPage } from './reads/members.ts';
export type { MemberRow } from './reads/members.ts';
export { findOrderDetails, listOrdersPage, orderStates } from './reads/orders.ts';
export { listNewestRewards, readOrderOutcomes } from './reads/order-outcomes.ts';
export type { NewestReward, OrderOutcome, OutcomeReward, Sending } from './reads/order-outcomes.ts';
export type { OrderListRow, OrderSearch } from './reads/orders.ts';
export {
  readFigures,
  readToday,
  readTopReferrers,
  readVersionFigures,
  sumFigures,
} from './reads/performance.ts';
export type { CostRow, Days, FiguresRow, ReferrerRow, VersionFiguresRow } from './reads/performance.ts';
export { listReferralsPage } from './reads/referrals.ts';
export type { ReferralRow, ReferralSearch } from './reads/referrals.ts';
export { findReplayDetails, listReplaysPage } from './reads/replays.ts';
export type { ReplayListRow } from './reads/replays.ts';
export { countRefusedRequests, findRequest, listRequestFilters, listRequestsPage } from './reads/requests.ts';
export type {
  RefusedRequestCounts,
  RefusedRequestsRow,
  RequestDetails,
  RequestRow,
} from './reads/requests.ts';
export { listRewardsPage, rewardTimes, sumRewards } from './reads/rewards.ts';
export type { RewardListRow, RewardSearch, RewardTotals } from './reads/rewards.ts';
export { findSampleProgress } from './reads/samples.ts';
export type { SampleIds, SampleProgress, SampleReward } from './reads/samples.ts';
export { findMatches } from './reads/search.ts';
export type { FoundKind, FoundOfKind } from './reads/search.ts';
export { findEventBody, listAllSigningKeys, recordSignatureChecked } from './merchants/signature-checks.ts';
export { findDelivery, listDeliveries } from './deliveries/find-deliveries.ts';
export { retryDeliveries, retryDelivery } from './deliveries/retry-delivery.ts';
export { readWebhookLabels } from './reads/webhook-labels.ts';
export { readWebhookHealth } from './reads/webhook-health.ts';
export type { WebhookHealthRow } from './reads/webhook-health.ts';
export { findOldestWaiting, planRetries } from './reads/retry-plan.ts';
export type { PlannedRetry, RetryRefusal } from './reads/retry-plan.ts';
export { enableEndpoint, pauseEndpoint, resumeEndpoint, setEndpoint } from './endpoints/endpoint-control.ts';
export {
  countUnsentDeliveries,
  deleteEndpoint,
  insertEndpoint,
  listEndpoints,
  registerEndpoint,
  updateEndpoint,
} from './endpoints/endpoints.ts';
export { listParkedEndpoints, unparkEndpoints } from './endpoints/park-endpoint.ts';
export { findSignedEndpoint } from './endpoints/signed-endpoint.ts';
export { DeliveryPaused, openTestEventStore, requireUnpausedDelivery } from './endpoints/test-events.ts';
export { enqueueOrdersOfReferral } from './evaluation/due-batches.ts';
export { explainOrder } from './evaluation/explain-order.ts';
export { previewLink } from './evaluation/preview-link.ts';
export type { LinkPreview, MovePreview, OrderRewards } from './evaluation/preview-link.ts';
export { rebuildFigures } from './evaluation/rebuild-figures.ts';
export type { RebuiltFigures } from './evaluation/rebuild-figures.ts';
export { streamSimulationOrders } from './evaluation/simulation.ts';
export { FeedCursorExpired } from './events/feed-position.ts';
export type { FeedPosition } from './events/feed-position.ts';
export { listFeedPage } from './events/feed.ts';
export type { FeedQuery } from './events/feed.ts';
export { findClickAge, findShareLink, insertClick } from './members/clicks.ts';
export type { ShareLink } from './members/clicks.ts';
export { eraseMember, ErasureRefused } from './members/erasure.ts';
export { findMemberFilter, listAliases, listMerges, resolveMember } from './members/aliases.ts';
export type { MemberFilter, MemberMerge } from './members/aliases.ts';
export { mergeMembers } from './members/merge-members.ts';
export type { MergedMember, MergeResult } from './members/merge-members.ts';
export { moveLink } from './members/move-link.ts';
export type { LinkMove, MovedLink } from './members/move-link.ts';
export { findMemberSummary } from './members/member-summary.ts';
export type { MemberSummary } from './members/member-summary.ts';
export { wasNew } from './evaluation/read-facts.ts';
export { ensureMember, findMember, findMemberByCode, findMemberCode, hasOrders } from './members/members.ts';
export { findReferral, insertReferral, reviewReferral } from './members/referrals.ts';
export type { NewReferral, Referral } from './members/referrals.ts';
export { accountLimits, LimitReached } from './merchants/account-limits.ts';
export {
  findKeyOwner,
  insertApiKey,
  listApiKeys,
  newApiKey,
  revokeApiKey,
  updateApiKeysLastUsed,
} from './merchants/api-keys.ts';
export type { KeyCreator, KeyOwner } from './merchants/api-keys.ts';
export { findFormerIdentitySecrets, replaceIdentitySecret } from './merchants/identity-secrets.ts';
export type { FormerIdentitySecret } from './merchants/identity-secrets.ts';
export {
  findIdentitySecret,
  findLinkingSettings,
  findMerchant,
  listMerchants,
  updateFeedRead,
  updateLinkingSettings,
  updateMerchant,
} from './merchants/merchants.ts';
export type { LinkingSettings } from './merchants/merchants.ts';
export { insertMerchant, newMerchant } from './merchants/new-merchant.ts';
export { insertSides, newSides } from './merchants/new-sides.ts';
export type { NewSides } from './merchants/new-sides.ts';
export type { FirstKeys } from './merchants/new-sides.ts';
export {
  findPause,
  listPausedMerchants,
  pausable,
  pauseMerchant,
  resumeMerchant,
} from './merchants/pause-merchant.ts';
export type { MerchantPause, Pausable } from './merchants/pause-merchant.ts';
export {
  deleteSigningKeys,
  listSigningKeys,
  maxOverlapHours,
  rotateSigningKey,
} from './merchants/signing-keys.ts';
export { ensureTestSide, findLiveTerms, findTestSide } from './merchants/test-side.ts';
export type { TestSideCreation } from './merchants/test-side.ts';
export { listTimeZones, UnknownTimeZone } from './merchants/time-zones.ts';
export { insertVerifiedOrigin, isOriginVerified, listVerifiedOrigins } from './merchants/verified-origins.ts';
export {
  countData,
  findWipe,
  LiveWipeRefused,
  requestLiveWipe,
  requestWipe,
} from './merchants/request-wipe.ts';
export type { WipeRefusal } from './merchants/request-wipe.ts';
export { findOwnerState } from './merchants/wipe.ts';
export { findOrder } from './orders/find-order.ts';
export { countEarlierRewards, sendEarlierRewards } from './events/send-earlier-rewards.ts';
export type { EarlierRewards } from './events/send-earlier-rewards.ts';
export { insertRequests } from './requests/insert-requests.ts';
export type { NewRequest, RecordedError, RefusedCount } from './requests/insert-requests.ts';
export { correctReward } from './rewards/correct-reward.ts';
export type { CorrectedReward, CorrectionRequest } from './rewards/correct-reward.ts';
export { previewReplay, previewReplayWithin } from './replays/preview-replay.ts';
export { replayableStates } from './replays/replay-filter.ts';
export type { ReplayableState, ReplayFilter } from './replays/replay-filter.ts';
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
export { endHold } from './merchants/end-hold.ts';
export {
  deleteProgramDraft,
  findNewestProgram,
  findProgramDraft,
  listFieldsChangedSince,
  listPrograms,
  publishProgram,
  saveProgramDraft,
} from './rewards/programs.ts';
export type { ProgramDraft, PublishedProgram } from './rewards/programs.ts';
export { rewardExportColumns, startOfDay, streamRewards } from './rewards/reward-export.ts';
export {
  auditActorKinds,
  deliveryProgresses,
  deliveryStates,
  reviewStates,
  rewardRoles,
  rewardStates,
  teamRoles,
} from './states.ts';
export type {
  AuditActorKind,
  AuditOutcome,
  DecisionOutcome,
  DeliveryProgress,
  DeliveryState,
  DeliveryWait,
  RewardRole,
  RewardState,
  TeamRole,
} from './states.ts';
