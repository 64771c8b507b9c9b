import Joi from 'joi';
import { parseExpectedProcesses } from '@rewardhook/pipeline';
import {
  databaseSettings,
  expectedProcessesSetting,
  loopbackSetting,
  publicUrlSetting,
  readSettings,
  redisSettings,
  retentionSettings,
  secretsKeySetting,
} from '@rewardhook/process';
import type { RedisSettings, RetentionSettings } from '@rewardhook/process';

export interface AdminSettings extends RedisSettings, RetentionSettings {
  DATABASE_URL: string;
  SECRETS_KEY: string;
  WEBHOOK_ALLOW_LOOPBACK: boolean;
  /** Where browsers reach the console: the beginning of invitations. */
  CONSOLE_PUBLIC_URL: string;
  EXPECTED_PROCESSES: string;
  /** Who runs the commands, for the audit; undefined is the user of the operating system. */
  REWARDHOOK_OPERATOR?: string;
}

export const adminSettings = {
  ...databaseSettings,
  ...redisSettings,
  ...secretsKeySetting,
  ...loopbackSetting,
  ...retentionSettings,
  ...expectedProcessesSetting(parseExpectedProcesses),
  CONSOLE_PUBLIC_URL: publicUrlSetting('CONSOLE_PUBLIC_URL').default('http://127.0.0.1:3002'),
  REWARDHOOK_OPERATOR: Joi.string().max(100),
};

/** Reads the settings of the operator's command line. @throws SettingsError */
export function readAdminSettings(environment: NodeJS.ProcessEnv = process.env): AdminSettings {
  return readSettings<AdminSettings>(adminSettings, environment);
}

/** The environment of this process. */
export const processEnvironment = process.env;
