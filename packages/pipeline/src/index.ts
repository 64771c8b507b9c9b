/** The queues: the stage catalog, producers, workers and the intake of orders, over BullMQ and Redis. */
export { coalesce, coalesceBy } from './coalesce.ts';
export { UnhandledJob } from './content-failures.ts';
export { connectQueues, connectStage } from './connect.ts';
export type { Queues } from './connect.ts';
export { TooManyWaiting } from './fair-priorities.ts';
export { checkDurabilityWhenReady } from './durability.ts';
export { enqueueDueWith } from './enqueue-due.ts';
export type { DueWork, EnqueueDue } from './enqueue-due.ts';
export { checkPipeline } from './check-pipeline.ts';
export { connectHousekeeping } from './housekeeping.ts';
export type { TaskPlan } from './housekeeping.ts';
export { parseExpectedProcesses } from './expected-processes.ts';
export type { ExpectedProcess } from './expected-processes.ts';
export type { Heartbeat } from './heartbeats.ts';
export {
  adoptInstallation,
  claimInstallation,
  describeOtherInstallation,
  readInstallation,
} from './installation.ts';
export { parseOrders, readPayload, toPayload, UnreadableJob } from './job-payload.ts';
export { readJobs } from './read-jobs.ts';
export { IntakeUnavailable, openIntake } from './intake.ts';
export type { Intake } from './intake.ts';
export { openHousekeepingQueue, openProducer, openQueues } from './queues.ts';
export type { Producer } from './queues.ts';
export { listParkedJobs, ReadableOrders, removeParkedJobs, retryParkedJobs } from './parked-jobs.ts';
export type { ParkedJob } from './parked-jobs.ts';
export { openQueueStates } from './queue-states.ts';
export type { QueueState, QueueStates } from './queue-states.ts';
export { openRefusedRequestCounter, readRefusedRequests } from './refused-requests.ts';
export type { RefusedRequestCounter } from './refused-requests.ts';
export { openRateLimits } from './rate-limits.ts';
export type { Limit, LimitState, OpenRateLimit, RateLimit } from './rate-limits.ts';
export {
  connectProducer,
  connectWorker,
  disconnect,
  intakeCommandTimeoutMs,
  isRedisUnavailable,
  mastersOf,
} from './redis.ts';
export type { Redis } from './redis.ts';
export { followShards, prefixOfShard, readShards, shardOf } from './shards.ts';
export { holdsOnlyCopies, housekeepingTasks, stageNames } from './stages.ts';
export type { Jobs, Stage } from './stages.ts';
export { listJobReferences } from './job-references.ts';
export { findLastVersion, openVersions } from './versions.ts';
export { startWorker } from './worker.ts';
