export { networkOf, openAddressHash } from './client-address.ts';
export type { HashAddress } from './client-address.ts';
export {
  commonSettings,
  databaseSettings,
  loopbackSetting,
  loopbackWarning,
  readSettings,
  redisSettings,
  secretsKeySetting,
  SettingsError,
  webhookLimits,
  webhookLimitSettings,
  workerSettings,
} from './environment.ts';
export type { WebhookLimits, WebhookLimitSettings, WorkerSettings } from './environment.ts';
export { checkHealth, serveHealth } from './health.ts';
export type { HealthCheck, HealthReport } from './health.ts';
export { identifyRequest } from './identify-request.ts';
export { openLoginLimitKeys } from './login-limit-keys.ts';
export type { LoginLimitKeys } from './login-limit-keys.ts';
export { createLogger, withoutPrismaInvocation } from './logger.ts';
export type { Logger } from './logger.ts';
export { measureRequests } from './measure-requests.ts';
export { observeJobs, openMetrics, showQueue } from './metrics.ts';
export type { Metrics } from './metrics.ts';
export { repeat } from './repeat.ts';
export { runProcess } from './run-process.ts';
export type { ProcessContext } from './run-process.ts';
export { serve } from './serve.ts';
export { warnAboutProxy } from './warn-about-proxy.ts';
