import Joi from 'joi';
import { readSettings, workerSettings } from '@rewardhook/process';
import type { WorkerSettings } from '@rewardhook/process';

export interface EvaluationSettings extends WorkerSettings {
  /** Seconds after which the sweeper enqueues due orders that have no job. */
  SWEEP_AFTER_SECONDS: number;
}

export const evaluationSettings = {
  ...workerSettings(16),
  SWEEP_AFTER_SECONDS: Joi.number().min(1).default(15),
};

/** Reads the settings of the reward-evaluation worker. @throws SettingsError */
export function readEvaluationSettings(environment: NodeJS.ProcessEnv = process.env): EvaluationSettings {
  return readSettings<EvaluationSettings>(evaluationSettings, environment);
}
