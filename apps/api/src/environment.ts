import Joi from 'joi';
import {
  commonSettings,
  databaseSettings,
  readSettings,
  redisSettings,
  secretsKeySetting,
} from '@rewardhook/process';

export interface ApiSettings {
  LOG_LEVEL: string;
  HEALTH_HOST: string;
  HEALTH_PORT: number;
  DATABASE_URL: string;
  DATABASE_POOL_SIZE: number;
  REDIS_URL: string;
  QUEUE_PREFIX: string;
  SECRETS_KEY: string;
  API_HOST: string;
  API_PORT: number;
  /** Most orders a request may hold. */
  API_MAX_ORDERS: number;
  /** Most bytes a request's body may have, unpacked. */
  API_MAX_BODY_BYTES: number;
  /** Most bytes of bodies in flight in this process, unpacked. */
  API_BODY_BYTES_IN_FLIGHT: number;
  /** The same with the keys of one kind of one merchant; well below the whole, so that one merchant starves no other. */
  API_KEY_BODY_BYTES_IN_FLIGHT: number;
  /** Where browsers reach this API, for share links; default `http://127.0.0.1:<API_PORT>`. */
  API_PUBLIC_URL?: string;
  /** How many proxies stand before the API and add to X-Forwarded-For; 0 believes no such header. */
  API_TRUST_PROXY: number;
  /** Most links an hour by one referral code that carry no flag. */
  API_CODE_LINKS_PER_HOUR: number;
  /** Most links an hour from one client address that carry no flag. */
  API_ADDRESS_LINKS_PER_HOUR: number;
  /** Most members an hour that calls with a merchant's public key may store. */
  API_MERCHANT_MEMBERS_PER_HOUR: number;
  /** The same from one client address. */
  API_ADDRESS_MEMBERS_PER_HOUR: number;
  /** Most clicks an hour on one share link that are stored. */
  API_CODE_CLICKS_PER_HOUR: number;
  /** The same from one client address. */
  API_ADDRESS_CLICKS_PER_HOUR: number;
}

/** The settings of the ingestion API. @throws SettingsError */
export function readApiSettings(environment: NodeJS.ProcessEnv = process.env): ApiSettings {
  return readSettings<ApiSettings>(
    {
      ...commonSettings,
      ...databaseSettings,
      ...redisSettings,
      ...secretsKeySetting,
      API_HOST: Joi.string().default('0.0.0.0'),
      API_PORT: Joi.number().port().default(3000),
      API_MAX_ORDERS: Joi.number().integer().min(1).default(5_000),
      API_MAX_BODY_BYTES: Joi.number().integer().min(1_000).default(10_485_760),
      // At least one body of the greatest size fits into the share of a key, and two shares into the whole.
      API_KEY_BODY_BYTES_IN_FLIGHT: Joi.number()
        .integer()
        .min(Joi.ref('API_MAX_BODY_BYTES'))
        .default(16_777_216),
      API_BODY_BYTES_IN_FLIGHT: Joi.number()
        .integer()
        .min(Joi.ref('API_KEY_BODY_BYTES_IN_FLIGHT', { adjust: (share: number) => 2 * share }))
        .default(50_331_648),
      API_PUBLIC_URL: Joi.string().uri({ scheme: ['https', 'http'] }),
      API_TRUST_PROXY: Joi.number().integer().min(0).max(10).default(0),
      API_CODE_LINKS_PER_HOUR: Joi.number().integer().min(0).default(30),
      API_ADDRESS_LINKS_PER_HOUR: Joi.number().integer().min(0).default(10),
      API_MERCHANT_MEMBERS_PER_HOUR: Joi.number().integer().min(0).default(100_000),
      API_ADDRESS_MEMBERS_PER_HOUR: Joi.number().integer().min(0).default(300),
      API_CODE_CLICKS_PER_HOUR: Joi.number().integer().min(0).default(10_000),
      API_ADDRESS_CLICKS_PER_HOUR: Joi.number().integer().min(0).default(300),
    },
    environment,
  );
}
