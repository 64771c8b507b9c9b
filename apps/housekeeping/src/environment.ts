import Joi from 'joi';
import { mailSettings } from '@rewardhook/mail';
import type { MailSettings } from '@rewardhook/mail';
import { parseExpectedProcesses } from '@rewardhook/pipeline';
import {
  expectedProcessesSetting,
  publicUrlSetting,
  readSettings,
  retentionSettings,
  secret,
  workerSettings,
} from '@rewardhook/process';
import type { RetentionSettings, WorkerSettings } from '@rewardhook/process';
import type { OperatorWebhook } from './report-problems.ts';

/** The settings of the mail about failing endpoints. */
export interface NoticeSettings extends MailSettings {
  /** Gets a copy of every digest, and the digests of merchants without a confirmed address. */
  NOTICE_OPERATOR_EMAIL?: string;
  /** The URL of the console, for links in mails. */
  CONSOLE_PUBLIC_URL?: string;
}

/** The settings of the reports of problems. */
export interface ProblemSettings {
  EXPECTED_PROCESSES: string;
  /** Where problems are reported. */
  OPERATOR_WEBHOOK_URL?: string;
  /** `whsec_…`; required with the URL. */
  OPERATOR_WEBHOOK_SECRET?: string;
}

export interface HousekeepingSettings
  extends WorkerSettings, NoticeSettings, RetentionSettings, ProblemSettings {}

export const housekeepingSettings = {
  ...workerSettings,
  ...mailSettings,
  NOTICE_OPERATOR_EMAIL: Joi.string().email({ tlds: false }),
  CONSOLE_PUBLIC_URL: publicUrlSetting('CONSOLE_PUBLIC_URL'),
  ...retentionSettings,
  ...expectedProcessesSetting(parseExpectedProcesses),
  OPERATOR_WEBHOOK_URL: secret(Joi.string().uri({ scheme: ['http', 'https'] })),
  OPERATOR_WEBHOOK_SECRET: secret(
    Joi.string()
      .pattern(
        /^whsec_[\w+/-]{32,}={0,2}$/,
        'a signing secret: whsec_ and the base64 of at least 24 random bytes',
      )
      .when('OPERATOR_WEBHOOK_URL', { is: Joi.exist(), then: Joi.required() }),
  ),
};

/** Reads the settings of housekeeping. @throws SettingsError */
export function readHousekeepingSettings(environment = process.env): HousekeepingSettings {
  return readSettings<HousekeepingSettings>(housekeepingSettings, environment);
}

/** The operator's URL with its secret; undefined where there is none. */
export function operatorWebhook({
  OPERATOR_WEBHOOK_URL: url,
  OPERATOR_WEBHOOK_SECRET: key,
}: ProblemSettings): OperatorWebhook | undefined {
  return url === undefined || key === undefined ? undefined : { url, secret: key };
}
