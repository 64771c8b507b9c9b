import type { Database, Sealer } from '@rewardhook/database';
import type { Producer, Velocity } from '@rewardhook/pipeline';
import type { Logger, Metrics, WebhookLimits } from '@rewardhook/process';
import type { WebhookClient } from '@rewardhook/webhook';
import type { DeviceCookie } from './auth/device-cookie.ts';
import type { LoginLimits } from './auth/login-limits.ts';
import type { Passwords } from './auth/passwords.ts';
import type { SessionCookie } from './auth/session-cookie.ts';
import type { AccountMails } from './mails/account-mails.ts';

/** What the console's routes work with. */
export interface ConsoleDependencies {
  database: Database;
  sealer: Sealer;
  passwords: Passwords;
  limits: LoginLimits;
  cookie: SessionCookie;
  /** Limits of webhooks, test events and replays. */
  webhookLimits: WebhookLimits;
  /** Counts what is limited by the hour; never fails. */
  velocity: Velocity;
  /** Queues batches of orders that are to be evaluated. */
  evaluation: Pick<Producer<'reward-evaluation'>, 'enqueue'>;
  device: DeviceCookie;
  /** Undefined where no mail is configured: what takes a mail is closed then. */
  mails: AccountMails | undefined;
  /** Sends test events. */
  webhookClient: WebhookClient;
  /** Where browsers reach the console, without a slash at the end. */
  publicUrl: string;
  /** Where browsers reach the API, for share links; undefined where it is not known. */
  apiPublicUrl: string | undefined;
  /** A development setting: webhooks may go to http URLs on this machine. */
  allowLoopbackHttp: boolean;
  /** How many proxies of ours stand before this process, each adding to X-Forwarded-For. */
  trustedProxies: number;
  /** The folder of the built page. */
  pageFolder: string;
  metrics: Metrics;
  log: Logger;
}
