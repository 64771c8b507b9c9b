import Joi from 'joi';
import { requestLimits } from '@rewardhook/contract';
import {
  httpSettings,
  loopbackSetting,
  publicUrlSetting,
  readSettings,
  secretsKeySetting,
  workerSettings,
} from '@rewardhook/process';
import type { HttpSettings, WorkerSettings } from '@rewardhook/process';

/** The settings of the API. */
export interface ApiSettings extends WorkerSettings, HttpSettings {
  /** Number of replicas of Redis that must have a request before it is answered 202. */
  REDIS_WAIT_REPLICAS: number;
  SECRETS_KEY: string;
  WEBHOOK_ALLOW_LOOPBACK: boolean;
  API_PORT: number;
  /** Maximum KiB of orders of a merchant that wait to be stored; 0 means no limit. */
  API_MERCHANT_WAITING_KIB: number;
  /** Maximum number of requests per second of a secret key; 0 means no limit. */
  API_KEY_REQUESTS_PER_SECOND: number;
  /** Maximum number of orders per second of a secret key, on average; 0 means no limit. */
  API_KEY_ORDERS_PER_SECOND: number;
  /** Maximum number of boot requests, and of requests for share links, per second from one client address; 0 means no limit. */
  API_ADDRESS_REQUESTS_PER_SECOND: number;
  /** The public URL of the API, for share links; default `http://127.0.0.1:<API_PORT>`. */
  API_PUBLIC_URL?: string;
  /** Number of trusted proxies that append to X-Forwarded-For; with 0 the header is ignored. */
  API_TRUST_PROXY: number;
}

const perSecond = () => Joi.number().integer().min(0).max(1_000_000);

export const apiSettings = {
  ...workerSettings,
  ...httpSettings,
  ...secretsKeySetting,
  ...loopbackSetting,
  REDIS_WAIT_REPLICAS: Joi.number().integer().min(0).max(10).default(0),
  API_PORT: Joi.number().port().default(3000),
  API_MERCHANT_WAITING_KIB: Joi.number()
    .integer()
    .min(requestLimits.bodyBytes / 1_024)
    .allow(0)
    .default(65_536),
  API_KEY_REQUESTS_PER_SECOND: perSecond().default(0),
  API_KEY_ORDERS_PER_SECOND: perSecond().default(0),
  API_ADDRESS_REQUESTS_PER_SECOND: perSecond().default(50),
  API_PUBLIC_URL: publicUrlSetting('API_PUBLIC_URL'),
  API_TRUST_PROXY: Joi.number().integer().min(0).max(10).default(0),
};

/** Reads the settings of the API. @throws SettingsError */
export function readApiSettings(environment: NodeJS.ProcessEnv = process.env): ApiSettings {
  return readSettings<ApiSettings>(apiSettings, environment);
}
