export { findKeyOwner, insertApiKey, listApiKeys, revokeApiKey } from './api-keys.ts';
export type { KeyOwner, NewApiKey } from './api-keys.ts';
export { openDatabase, pingDatabase } from './client.ts';
export type { Database } from './client.ts';
export {
  claimDeliveries,
  findDelivery,
  findSendableEndpoint,
  listDeliveries,
  listDueEndpoints,
  recordAttempts,
  retryDelivery,
} from './deliveries.ts';
export type { AttemptRow, ClaimedDelivery, SendableEndpoint } from './deliveries.ts';
export { countBacklog, findFaults } from './doctor.ts';
export type { Backlog, Findings } from './doctor.ts';
export {
  listUnmarkedReferrals,
  markDueJudgements,
  markOrdersOfReferral,
  sweepDueJudgements,
} from './due-judgements.ts';
export type { MerchantOrders } from './due-judgements.ts';
export {
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  insertEndpoint,
  listEndpoints,
  pauseEndpoint,
} from './endpoints.ts';
export type { DueOrder } from './judgement-input.ts';
export { judgeOrders } from './judgements.ts';
export type { DecisionRow, EventRow, JudgedBatch, JudgementRows, RewardRow } from './judgements.ts';
export { ensureMember, findMemberByCode, findReferral, hasOrders, insertReferral } from './members.ts';
export type { Referral } from './members.ts';
export { findIdentitySecret, findMerchant, insertMerchant } from './merchants.ts';
export type { NewMerchant } from './merchants.ts';
export { migrateDatabase, migrationsFolder } from './migrate.ts';
export { findOrder, upsertOrders, upsertOrdersSql } from './orders.ts';
export type { OrderBatch } from './orders.ts';
export { schemaDifference } from './schema-difference.ts';
export { openSealer } from './sealer.ts';
export type { Sealer } from './sealer.ts';
export { deleteSigningKeys, listSigningKeys, rotateSigningKey } from './signing-keys.ts';
