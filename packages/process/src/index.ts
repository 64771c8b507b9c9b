/** Settings, logging, health, metrics, HTTP servers, and the start and shutdown of a process. */
export { abortAfter } from './abort-after.ts';
export { cacheFor } from './cache-for.ts';
export { networkOf, openAddressHash } from './client-address.ts';
export type { HashAddress } from './client-address.ts';
export { openConcurrencyLimit, ConcurrencyLimitReached } from './concurrency-limit.ts';
export type { ConcurrencyLimit } from './concurrency-limit.ts';
export {
  commonSettings,
  databaseSettings,
  databaseUrl,
  expectedProcessesSetting,
  httpSettings,
  loopbackSetting,
  loopbackWarning,
  publicUrlSetting,
  redisSettings,
  retentionDays,
  retentionSettings,
  secretsKeySetting,
  webhookLimits,
  withoutTrailingSlashes,
  workerSettings,
} from './environment.ts';
export type {
  CommonSettings,
  HttpSettings,
  RedisSettings,
  RetentionPolicy,
  RetentionSettings,
  WebhookLimits,
  WorkerSettings,
} from './environment.ts';
export { checkHealth } from './health.ts';
export type { DependencyCheck, HealthCheck, HealthReport } from './health.ts';
export { listen, serve } from './http-server.ts';
export type { RunningServer, ServeOptions } from './http-server.ts';
export { JsonText, toJsonText } from './json-text.ts';
export { deriveKeys, parseKeyRing } from './key-ring.ts';
export type { RingKey } from './key-ring.ts';
export { openAllLoginLimitKeys, openLoginLimitKeys } from './login-limit-keys.ts';
export type { LoginLimitKeys } from './login-limit-keys.ts';
export { createLogger, withoutPrismaInvocation } from './logger.ts';
export type { Log, Logger } from './logger.ts';
export { measureJobs, measureLatency, openMetrics } from './metrics.ts';
export type { Metrics, Sample } from './metrics.ts';
export { openProcessStatus } from './process-status.ts';
export type { ProcessStatus } from './process-status.ts';
export { declaredSettings, readSettings, secret, SettingsError } from './read-settings.ts';
export type { DeclaredSetting } from './read-settings.ts';
export { readDatabaseUrl } from './database-url.ts';
export { parseRedisUrl } from './redis-url.ts';
export type { RedisAddress } from './redis-url.ts';
export { repeat } from './repeat.ts';
export { measureRequests, warnAboutProxy } from './request-middleware.ts';
export { noAccessLog } from './requests/access-log.ts';
export type { AccessLine, AccessLog } from './requests/access-log.ts';
export { readForwardedAddress } from './requests/forwarded-address.ts';
export { pageHeaders } from './requests/page-headers.ts';
export { refuseCrossSite } from './requests/refuse-cross-site.ts';
export type { CrossSiteOptions } from './requests/refuse-cross-site.ts';
export { setRateLimitHeaders } from './requests/rate-limit-headers.ts';
export type { ShownLimit } from './requests/rate-limit-headers.ts';
export { recordRequests } from './requests/record-requests.ts';
export { noteWarnings, recordOf, traceOf } from './requests/request-record.ts';
export { runProcess } from './run-process.ts';
export type { ProcessContext } from './run-process.ts';
export { openSemaphore } from './semaphore.ts';
export type { Semaphore } from './semaphore.ts';
export { TimeoutError, withTimeout } from './with-timeout.ts';
export { logRequests } from './tracing/log-requests.ts';
export { noTracing } from './tracing/tracing.ts';
export type { RequestTrace, Span, Tracing } from './tracing/span.ts';
