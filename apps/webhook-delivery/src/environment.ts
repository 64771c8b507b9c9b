import Joi from 'joi';
import { readSettings, secretsKeySetting, workerSettings } from '@rewardhook/process';
import type { WorkerSettings } from '@rewardhook/process';

export interface DeliverySettings extends WorkerSettings {
  SECRETS_KEY: string;
  /** Most requests in flight to one endpoint; it begins with 4 and grows as the endpoint answers well. */
  ENDPOINT_CONCURRENCY: number;
  /** For development: webhooks may go to http URLs on this machine. */
  WEBHOOK_ALLOW_LOOPBACK: boolean;
}

/** The settings of the webhook-delivery worker; CONCURRENCY is the number of endpoints served at a time. @throws SettingsError */
export function readDeliverySettings(): DeliverySettings {
  return readSettings<DeliverySettings>(
    {
      ...workerSettings(2_000),
      ...secretsKeySetting,
      ENDPOINT_CONCURRENCY: Joi.number().integer().min(1).max(1_000).default(32),
      WEBHOOK_ALLOW_LOOPBACK: Joi.boolean().default(false),
    },
    process.env,
  );
}
