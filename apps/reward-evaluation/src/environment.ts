import Joi from 'joi';
import { readSettings, workerSettings } from '@rewardhook/process';
import type { WorkerSettings } from '@rewardhook/process';

export interface EvaluationSettings extends WorkerSettings {
  /** Orders that wait for a judgement so long without a job get one from the sweeper, in seconds. */
  SWEEP_AFTER_SECONDS: number;
}

/** The settings of the reward-evaluation worker. @throws SettingsError */
export function readEvaluationSettings(environment: NodeJS.ProcessEnv = process.env): EvaluationSettings {
  return readSettings<EvaluationSettings>(
    { ...workerSettings(8), SWEEP_AFTER_SECONDS: Joi.number().min(1).default(15) },
    environment,
  );
}
