// The entry `./stages`: what the workers use. Nothing here loads Prisma's client, which takes 46 MB; an import rule holds it.

export * from './base.ts';
export { connectSql } from './client/connect-sql.ts';
export { claimDeliveries, claimManualRetries, releaseDeliveries } from './deliveries/claim-deliveries.ts';
export type { Claim, ClaimedDelivery, ClaimResult } from './deliveries/claim-deliveries.ts';
export { recordAttempts, recordMissingAttempts } from './deliveries/record-attempts.ts';
export type { AttemptRecord } from './deliveries/record-attempts.ts';
export { initialRampPerSecond, noFailures, updateEndpointHealth } from './endpoints/endpoint-health.ts';
export type { EndpointHealth, EndpointHealthUpdate } from './endpoints/endpoint-health.ts';
export { recordEndpointTransition } from './endpoints/endpoint-transitions.ts';
export type { EndpointTransition } from './endpoints/endpoint-transitions.ts';
export { cancelDeliveriesOfDeletedEndpoints, releaseHeldDeliveries } from './endpoints/held-deliveries.ts';
export type { NewNotice } from './endpoints/notices.ts';
export { parkEndpoint } from './endpoints/park-endpoint.ts';
export { findSendableEndpoints, listDueEndpoints } from './endpoints/sendable-endpoints.ts';
export type { EndpointKey, SendableEndpoint } from './endpoints/sendable-endpoints.ts';
export { deleteExpiredHosts, reserveHostSlot } from './endpoints/webhook-hosts.ts';
export { decide } from './evaluation/decide.ts';
export type { DecisionRow } from './evaluation/decisions.ts';
export {
  enqueueEndedHolds,
  enqueuePaymentsReached,
  findDueBatches,
  moveOrdersOfAliases,
  sweepDueBatches,
  sweepReferrals,
} from './evaluation/due-batches.ts';
export type { BatchRequest } from './evaluation/due-batches.ts';
export { evaluateBatches } from './evaluation/evaluate-batches.ts';
export type { EvaluatedBatch, TraceRequests } from './evaluation/evaluate-batches.ts';
export {
  listParked,
  recordFailure,
  retryParked,
  parkOrder,
  unparkDecided,
} from './evaluation/failing-batches.ts';
export { upsertOrders } from './orders/orders.ts';
export { runReplayBatch } from './replays/run-replay-batch.ts';
