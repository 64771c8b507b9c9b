import Joi from 'joi';
import { mailSettings } from '@rewardhook/mail';
import type { MailSettings } from '@rewardhook/mail';
import {
  loopbackSetting,
  readSettings,
  retentionSettings,
  secretsKeySetting,
  workerSettings,
} from '@rewardhook/process';
import type { RetentionSettings, WorkerSettings } from '@rewardhook/process';

/** The settings of the mail about failing endpoints. */
export interface NoticeSettings extends MailSettings {
  /** Gets a copy of every digest, and the digests of merchants without a confirmed address. */
  NOTICE_OPERATOR_EMAIL?: string;
  /** Minimum number of minutes between two digests of a merchant. */
  NOTICE_DIGEST_MINUTES: number;
  /** The URL of the console, for links in mails. */
  CONSOLE_PUBLIC_URL?: string;
}

export interface DeliverySettings extends WorkerSettings, NoticeSettings, RetentionSettings {
  SECRETS_KEY: string;
  /** Maximum number of requests in flight to one endpoint. The limit starts at 4 and adapts to its responses. */
  ENDPOINT_CONCURRENCY: number;
  /**
   * Seconds between two requests to a webhook whose URL never answered with 2xx, and between those to all such webhooks of
   * a host that have failed; 0 sets no limit.
   */
  NEW_WEBHOOK_SECONDS: number;
  /** For development: webhooks may go to http URLs on this machine. */
  WEBHOOK_ALLOW_LOOPBACK: boolean;
}

const noticeSettings = {
  ...mailSettings,
  NOTICE_DIGEST_MINUTES: Joi.number().integer().min(1).max(1_440).default(60),
  NOTICE_OPERATOR_EMAIL: Joi.string().email({ tlds: false }),
  CONSOLE_PUBLIC_URL: Joi.string().uri({ scheme: ['http', 'https'] }),
};

export const deliverySettings = {
  ...workerSettings(2_000, 20_000),
  ...secretsKeySetting,
  ENDPOINT_CONCURRENCY: Joi.number().integer().min(1).max(1_000).default(32),
  NEW_WEBHOOK_SECONDS: Joi.number().min(0).max(3_600).default(1),
  ...loopbackSetting,
  ...noticeSettings,
  ...retentionSettings,
};

/**
 * Reads the settings of webhook-delivery. CONCURRENCY is the number of dispatches that run at a time.
 * @throws SettingsError
 */
export function readDeliverySettings(environment = process.env): DeliverySettings {
  return readSettings<DeliverySettings>(deliverySettings, environment);
}
