import Joi from 'joi';
import { mailSettings } from '@rewardhook/mail';
import type { MailSettings } from '@rewardhook/mail';
import { publicUrlSetting, readSettings, retentionSettings, workerSettings } from '@rewardhook/process';
import type { RetentionSettings, WorkerSettings } from '@rewardhook/process';

/** The settings of the mail about failing endpoints. */
export interface NoticeSettings extends MailSettings {
  /** Gets a copy of every digest, and the digests of merchants without a confirmed address. */
  NOTICE_OPERATOR_EMAIL?: string;
  /** The URL of the console, for links in mails. */
  CONSOLE_PUBLIC_URL?: string;
}

export interface HousekeepingSettings extends WorkerSettings, NoticeSettings, RetentionSettings {}

export const housekeepingSettings = {
  ...workerSettings,
  ...mailSettings,
  NOTICE_OPERATOR_EMAIL: Joi.string().email({ tlds: false }),
  CONSOLE_PUBLIC_URL: publicUrlSetting('CONSOLE_PUBLIC_URL'),
  ...retentionSettings,
};

/** Reads the settings of housekeeping. @throws SettingsError */
export function readHousekeepingSettings(environment = process.env): HousekeepingSettings {
  return readSettings<HousekeepingSettings>(housekeepingSettings, environment);
}
