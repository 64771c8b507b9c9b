import { SettingsError } from '@rewardhook/process';
import { readMigrationSettings } from './environment.ts';
import { migrateDatabase } from './migrations/migrate.ts';
import { databaseProblemOf } from './client/database-errors.ts';

// Applies the migrations of this version. Exit codes as of the admin command line: 1 failed, 2 wrong settings,
// 3 PostgreSQL is unavailable.
const settings = readOrExit();
try {
  const applied = await migrateDatabase(settings.DATABASE_URL);
  console.log(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}`);
  process.exit(0);
} catch (error) {
  const problem = databaseProblemOf(error);
  console.error(
    problem
      ? `${problem.message} Run the migration again when it answers: it continues where it stopped.`
      : `The migration failed: ${error instanceof Error ? error.message : String(error)}`,
  );
  process.exit(problem ? 3 : 1);
}

function readOrExit() {
  try {
    return readMigrationSettings();
  } catch (error) {
    console.error(error instanceof SettingsError ? `migrate: ${error.message}` : error);
    process.exit(2);
  }
}
