import Joi from 'joi';
import { loopbackSetting, readSettings, secretsKeySetting, workerSettings } from '@rewardhook/process';
import type { WorkerSettings } from '@rewardhook/process';

export interface DeliverySettings extends WorkerSettings {
  SECRETS_KEY: string;
  /** Maximum number of requests in flight to one endpoint. The limit starts at 4 and adapts to its responses. */
  ENDPOINT_CONCURRENCY: number;
  /**
   * Seconds between two requests to a webhook whose URL never answered with 2xx, and between those to all such webhooks of
   * a host that have failed; 0 sets no limit.
   */
  NEW_WEBHOOK_SECONDS: number;
  /** For development: webhooks may go to http URLs on this machine. */
  WEBHOOK_ALLOW_LOOPBACK: boolean;
}

export const deliverySettings = {
  ...workerSettings(2_000, 20_000),
  ...secretsKeySetting,
  ENDPOINT_CONCURRENCY: Joi.number().integer().min(1).max(1_000).default(32),
  NEW_WEBHOOK_SECONDS: Joi.number().min(0).max(3_600).default(1),
  ...loopbackSetting,
};

/**
 * Reads the settings of webhook-delivery. CONCURRENCY is the number of dispatches that run at a time.
 * @throws SettingsError
 */
export function readDeliverySettings(environment = process.env): DeliverySettings {
  return readSettings<DeliverySettings>(deliverySettings, environment);
}
