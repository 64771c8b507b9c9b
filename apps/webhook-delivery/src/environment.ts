import { loopbackSetting, readSettings, secretsKeySetting, workerSettings } from '@rewardhook/process';
import type { WorkerSettings } from '@rewardhook/process';

export interface DeliverySettings extends WorkerSettings {
  SECRETS_KEY: string;
  /** For development: webhooks may go to http URLs on this machine. */
  WEBHOOK_ALLOW_LOOPBACK: boolean;
}

export const deliverySettings = {
  ...workerSettings,
  ...secretsKeySetting,
  ...loopbackSetting,
};

/** Reads the settings of webhook-delivery. @throws SettingsError */
export function readDeliverySettings(environment = process.env): DeliverySettings {
  return readSettings<DeliverySettings>(deliverySettings, environment);
}
