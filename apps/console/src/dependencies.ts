import type { Database, Sealer } from '@rewardhook/database';
import type { EnqueueDue, Intake, OpenRateLimit } from '@rewardhook/pipeline';
import type { AccessLog, HashAddress, Logger, Metrics, Tracing, WebhookLimits } from '@rewardhook/process';
import type { WebhookClient } from '@rewardhook/webhook';
import type { MayRecordUnauthenticated } from './people/unauthenticated-entries.ts';
import type { DeviceCookie } from './account/device-cookie.ts';
import type { LoginLimits } from './account/login-limits.ts';
import type { Passwords } from './account/passwords.ts';
import type { SessionCookie } from './account/session-cookie.ts';
import type { AccountMails } from './account/account-mails.ts';

/** The dependencies of the console's routes. */
export interface ConsoleDependencies {
  database: Database;
  sealer: Sealer;
  passwords: Passwords;
  limits: LoginLimits;
  cookie: SessionCookie;
  /** Limits of webhooks, test events and replays. */
  webhookLimits: WebhookLimits;
  openRateLimit: OpenRateLimit;
  hashAddress: HashAddress;
  /** Maximum number of requests per second of one client address to public routes; 0 means no limit. */
  addressRequestsPerSecond: number;
  /** Called for each response 429 with the name of the limit. */
  onLimited(limit: string): void;
  /** Whether one more call of somebody who is not signed in may be recorded in the audit. */
  mayRecordUnauthenticated: MayRecordUnauthenticated;
  /** Enqueues the orders of samples. */
  intake: Pick<Intake, 'accept'>;
  enqueueDue: EnqueueDue;
  device: DeviceCookie;
  /** Undefined where mail is not configured: routes that need a mail are then refused. */
  mails: AccountMails | undefined;
  /** Sends test events. */
  webhookClient: WebhookClient;
  /** The URL of the console for browsers, without a slash at the end. */
  publicUrl: string;
  /** The URL of the API for browsers, for share links; undefined where it is not configured. */
  apiPublicUrl: string | undefined;
  /** A development setting: webhooks may be sent to http URLs on this machine. */
  allowLoopbackHttp: boolean;
  /** The number of trusted proxies in front of this process; each adds to X-Forwarded-For. */
  trustedProxies: number;
  /** The folder of the built page. */
  pageFolder: string;
  metrics: Metrics;
  accessLog: AccessLog;
  tracing: Tracing;
  log: Logger;
}
