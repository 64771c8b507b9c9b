import Joi from 'joi';
import {
  commonSettings,
  httpSettings,
  publicUrlSetting,
  readSettings,
  redisSettings,
  secret,
} from '@rewardhook/process';
import type { CommonSettings, HttpSettings, RedisSettings } from '@rewardhook/process';

export interface DashboardSettings extends CommonSettings, HttpSettings, RedisSettings {
  DASHBOARD_PORT: number;
  /** The number of trusted proxies in front of the dashboard; with 0, X-Forwarded-For is ignored. */
  DASHBOARD_TRUST_PROXY: number;
  /** May retry, pause and remove jobs. */
  DASHBOARD_OPERATOR_PASSWORD: string;
  /** May only read. If it is not set, there is no viewer account. */
  DASHBOARD_VIEWER_PASSWORD?: string;
  /** The URL of the console for browsers, for links to it. */
  CONSOLE_PUBLIC_URL?: string;
}

const password = () => secret(Joi.string().min(12));

export const dashboardSettings = {
  ...commonSettings,
  ...httpSettings,
  ...redisSettings,
  DASHBOARD_PORT: Joi.number().port().default(3001),
  DASHBOARD_TRUST_PROXY: Joi.number().integer().min(0).max(10).default(0),
  DASHBOARD_OPERATOR_PASSWORD: password().required(),
  DASHBOARD_VIEWER_PASSWORD: password(),
  CONSOLE_PUBLIC_URL: publicUrlSetting('CONSOLE_PUBLIC_URL'),
};

/** Reads the settings of the dashboard. @throws SettingsError */
export function readDashboardSettings(environment: NodeJS.ProcessEnv = process.env): DashboardSettings {
  return readSettings<DashboardSettings>(dashboardSettings, environment);
}
