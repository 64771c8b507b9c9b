import { databaseSettings, readSettings } from '@rewardhook/process';

/** What the migration needs: the URL of a role that may change the schema. */
export interface MigrationSettings {
  DATABASE_URL: string;
}

export const migrationSettings = { DATABASE_URL: databaseSettings.DATABASE_URL };

/** Reads the settings of the migration. @throws SettingsError */
export function readMigrationSettings(environment: NodeJS.ProcessEnv = process.env): MigrationSettings {
  return readSettings<MigrationSettings>(migrationSettings, environment);
}
