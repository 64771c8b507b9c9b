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
}

/** The settings of the ingestion API. @throws SettingsError */
export function readApiSettings(): ApiSettings {
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
    },
    process.env,
  );
}
