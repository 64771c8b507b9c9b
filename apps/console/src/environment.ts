import Joi from 'joi';
import {
  httpSettings,
  loopbackSetting,
  publicUrlSetting,
  readSettings,
  secretsKeySetting,
  workerSettings,
} from '@rewardhook/process';
import type { HttpSettings, WorkerSettings } from '@rewardhook/process';
import { mailSettings } from '@rewardhook/mail';
import type { MailSettings } from '@rewardhook/mail';

export interface ConsoleSettings extends WorkerSettings, HttpSettings, MailSettings {
  SECRETS_KEY: string;
  CONSOLE_PORT: number;
  /** The URL of the console for browsers; with https its cookies are secure. Default `http://127.0.0.1:<CONSOLE_PORT>`. */
  CONSOLE_PUBLIC_URL?: string;
  /** The number of trusted proxies in front of the console; with 0, X-Forwarded-For is ignored. */
  CONSOLE_TRUST_PROXY: number;
  /** The URL of the API for browsers: the beginning of share links. */
  API_PUBLIC_URL?: string;
  WEBHOOK_ALLOW_LOOPBACK: boolean;
}

/** In production: https, except on this machine. */
const safeUrl = publicUrlSetting('CONSOLE_PUBLIC_URL')
  .custom((text: string, helpers) => {
    const { protocol, hostname } = new URL(text);
    const here = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
    return protocol === 'https:' || here ? text : helpers.error('https');
  })
  .messages({ https: '"CONSOLE_PUBLIC_URL" must be https in production' });

export const consoleSettings = {
  ...workerSettings,
  ...httpSettings,
  ...secretsKeySetting,
  ...mailSettings,
  CONSOLE_PORT: Joi.number().port().default(3002),
  CONSOLE_PUBLIC_URL: Joi.when('NODE_ENV', {
    is: 'production',
    then: safeUrl.required(),
    otherwise: publicUrlSetting('CONSOLE_PUBLIC_URL'),
  }),
  CONSOLE_TRUST_PROXY: Joi.number().integer().min(0).max(10).default(0),
  API_PUBLIC_URL: publicUrlSetting('API_PUBLIC_URL'),
  ...loopbackSetting,
};

/** Reads the settings of the console. @throws SettingsError */
export function readConsoleSettings(environment: NodeJS.ProcessEnv = process.env): ConsoleSettings {
  return readSettings<ConsoleSettings>(consoleSettings, environment);
}
