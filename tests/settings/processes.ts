import Joi from 'joi';
import { migrationSettings } from '@rewardhook/database/operations';
import { declaredSettings } from '@rewardhook/process';
import type { DeclaredSetting } from '@rewardhook/process';
import { adminSettings } from '../../apps/admin/src/environment.ts';
import { apiSettings } from '../../apps/api/src/environment.ts';
import { consoleSettings } from '../../apps/console/src/environment.ts';
import { dashboardSettings } from '../../apps/dashboard/src/environment.ts';
import { housekeepingSettings } from '../../apps/housekeeping/src/environment.ts';
import { evaluationSettings } from '../../apps/reward-evaluation/src/environment.ts';
import { syncSettings } from '../../apps/sync/src/environment.ts';
import { deliverySettings } from '../../apps/webhook-delivery/src/environment.ts';

/** The schema of every process and command. */
export const schemas: Record<string, Joi.PartialSchemaMap> = {
  api: apiSettings,
  sync: syncSettings,
  'reward-evaluation': evaluationSettings,
  'webhook-delivery': deliverySettings,
  housekeeping: housekeepingSettings,
  dashboard: dashboardSettings,
  console: consoleSettings,
  admin: adminSettings,
  migrate: migrationSettings,
};

export const commands = ['admin', 'migrate'];
export const services = Object.keys(schemas).filter((name) => !commands.includes(name));

/** The settings that a process reads. */
export function settingsOf(process: string): DeclaredSetting[] {
  const schema = schemas[process];
  if (!schema) throw new Error(`${process} is no process`);
  return declaredSettings(schema);
}
