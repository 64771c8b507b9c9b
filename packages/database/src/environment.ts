import { databaseSettings, databaseUrl, readSettings, secret } from '@rewardhook/process';

/** What the migration needs: the URL of a role that may change the schema. */
export interface MigrationSettings {
  DATABASE_URL: string;
  /** An address of PostgreSQL itself, where DATABASE_URL leads through a connection pooler. */
  DATABASE_DIRECT_URL?: string;
  /** The DATABASE_URL of the processes, where it has another user: the migrator creates the role and grants its rights. */
  DATABASE_APP_URL?: string;
  /** The same for a role that only reads. */
  DATABASE_READONLY_URL?: string;
}

export const migrationSettings = {
  DATABASE_URL: databaseSettings.DATABASE_URL,
  DATABASE_DIRECT_URL: secret(databaseUrl()),
  DATABASE_APP_URL: secret(databaseUrl()),
  DATABASE_READONLY_URL: secret(databaseUrl()),
};

/** Reads the settings of the migration. @throws SettingsError */
export function readMigrationSettings(environment: NodeJS.ProcessEnv = process.env): MigrationSettings {
  return readSettings<MigrationSettings>(migrationSettings, environment);
}
