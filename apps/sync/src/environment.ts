import { readSettings, workerSettings } from '@rewardhook/process';
import type { WorkerSettings } from '@rewardhook/process';

export const syncSettings = workerSettings;

/** Reads the settings of the sync worker. @throws SettingsError */
export function readSyncSettings(environment: NodeJS.ProcessEnv = process.env): WorkerSettings {
  return readSettings<WorkerSettings>(syncSettings, environment);
}
