export { findKeyOwner, insertApiKey, listApiKeys, revokeApiKey, touchApiKeys } from './api-keys.ts';
export type { KeyOwner, NewApiKey } from './api-keys.ts';
export { openDatabase, pingDatabase } from './client.ts';
export type { Database } from './client.ts';
export { findShareLink, insertClick, isClickExpired } from './clicks.ts';
export type { ShareLink } from './clicks.ts';
export {
  claimDeliveries,
  findDelivery,
  listDeliveries,
  recordAttempts,
  releaseDeliveries,
  retryDelivery,
} from './deliveries.ts';
export type { AttemptRow, ClaimedDelivery } from './deliveries.ts';
export { findSendableEndpoint, listDueEndpoints, type SendableEndpoint } from './sendable-endpoints.ts';
export { saveEndpointHealth, type EndpointHealth } from './endpoint-health.ts';
export * from './console/index.ts';
export { countBacklog, findFaults } from './doctor.ts';
export type { Backlog, Findings } from './doctor.ts';
export {
  listUnmarkedReferrals,
  markDueJudgements,
  markHoldsOver,
  markOrdersOfReferral,
  sweepDueJudgements,
} from './due-judgements.ts';
export type { MerchantOrders } from './due-judgements.ts';
export { pauseSending, releaseHeld, resumeSending, setRetryHours } from './endpoint-control.ts';
export {
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  insertEndpoint,
  listEndpoints,
} from './endpoints.ts';
export { eraseMember, ErasureRefused } from './erasure.ts';
export type { Erasure } from './erasure.ts';
export { readFeed } from './event-feed.ts';
export type { FeedPage, FeedQuery } from './event-feed.ts';
export { readRewards, startOfDay } from './exports.ts';
export type { ExportFilter, RewardExport } from './exports.ts';
export type { DueOrder } from './judgement-input.ts';
export { explainOrder } from './explain-order.ts';
export type { Explanation } from './explain-order.ts';
export type { Happening } from './explanations.ts';
export { judgeOrders } from './judgements.ts';
export type { Decide, JudgedBatch, JudgementRows } from './judgements.ts';
export type { ProgramUse } from './judgement-locks.ts';
export type { DecisionRow, EventRow, RewardRow } from './judgement-rows.ts';
export {
  ensureMember,
  findMember,
  findMemberByCode,
  findReferral,
  hasOrders,
  insertReferral,
} from './members.ts';
export type { NewReferral, Referral } from './members.ts';
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
export { newApiKey } from './new-api-key.ts';
export { newMerchant } from './new-merchant.ts';
export { findOrder, upsertOrders, upsertOrdersSql } from './orders.ts';
export type { OrderBatch } from './orders.ts';
export { openPing } from './pings.ts';
export type { PingAttempt, PingRecords, StoredPing } from './pings.ts';
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
export { openSealer } from './sealer.ts';
export type { Sealer } from './sealer.ts';
export { deleteSigningKeys, listSigningKeys, rotateSigningKey } from './signing-keys.ts';
export { replayOrders } from './simulation.ts';
export type { Replay } from './simulation.ts';
