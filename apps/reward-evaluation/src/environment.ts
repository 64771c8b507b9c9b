import { readSettings, workerSettings } from '@rewardhook/process';
import type { WorkerSettings } from '@rewardhook/process';

export const evaluationSettings = workerSettings;

/** Reads the settings of the reward-evaluation worker. @throws SettingsError */
export function readEvaluationSettings(environment: NodeJS.ProcessEnv = process.env): WorkerSettings {
  return readSettings<WorkerSettings>(evaluationSettings, environment);
}
