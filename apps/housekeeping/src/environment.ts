import Joi from 'joi';
import { mailSettings } from '@rewardhook/mail';
import type { MailSettings } from '@rewardhook/mail';
import {
  commonSettings,
  databaseSettings,
  readSettings,
  redisSettings,
  retentionSettings,
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

export interface HousekeepingSettings
  extends Omit<WorkerSettings, 'CONCURRENCY'>, NoticeSettings, RetentionSettings {}

export const housekeepingSettings = {
  ...commonSettings,
  ...databaseSettings,
  ...redisSettings,
  ...mailSettings,
  NOTICE_DIGEST_MINUTES: Joi.number().integer().min(1).max(1_440).default(60),
  NOTICE_OPERATOR_EMAIL: Joi.string().email({ tlds: false }),
  CONSOLE_PUBLIC_URL: Joi.string().uri({ scheme: ['http', 'https'] }),
  ...retentionSettings,
};

/** Reads the settings of housekeeping. @throws SettingsError */
export function readHousekeepingSettings(environment = process.env): HousekeepingSettings {
  return readSettings<HousekeepingSettings>(housekeepingSettings, environment);
}
