import { Command, CommanderError } from 'commander';
import { SettingsError } from '@rewardhook/process';
import { readMigrationSettings } from './environment.ts';
import { databaseProblemOf } from './client/database-errors.ts';
import { migrateDatabase, MigrationFailed } from './migrations/migrate.ts';
import { MigrationRefused } from './migrations/migration-history.ts';
import { setUpRoles } from './roles/set-up-roles.ts';

// The command line of the migrator. Exit codes as of the admin command line: 1 failed, 2 wrong settings or usage,
// 3 PostgreSQL is unavailable.
const print = (text: string) => console.log(text);

/** Where the migrator connects to. */
function connection() {
  const settings = readMigrationSettings();
  return {
    url: settings.DATABASE_DIRECT_URL ?? settings.DATABASE_URL,
    appUrl: settings.DATABASE_APP_URL,
    readOnlyUrl: settings.DATABASE_READONLY_URL,
    report: print,
  };
}

const program = new Command('migrate')
  .description(
    `Applies the migrations of this release. Settings: DATABASE_URL, or DATABASE_DIRECT_URL where
DATABASE_URL leads through a connection pooler. The role owns the tables.`,
  )
  .exitOverride();

program
  .command('apply')
  .description('apply the migrations that are missing (default)')
  .action(async () => {
    const applied = await migrateDatabase(connection());
    print(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}`);
    for (const line of await setUpRoles(connection())) print(line);
  });

program
  .command('roles')
  .description(
    'create the roles of DATABASE_APP_URL and DATABASE_READONLY_URL, and set their rights; apply does too',
  )
  .action(async () => {
    const lines = await setUpRoles(connection());
    if (lines.length === 0)
      throw new MigrationRefused('Set DATABASE_APP_URL, DATABASE_READONLY_URL or both.');
    for (const line of lines) print(line);
  });

/** Prints an error and returns the exit code. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const problem = error instanceof MigrationFailed ? undefined : databaseProblemOf(error);
  const text = error instanceof Error ? error.message : String(error);
  if (problem)
    console.error(
      `${problem.message} Run the migration again when it answers: it continues where it stopped.`,
    );
  else if (error instanceof SettingsError) console.error(`migrate: ${text}`);
  else if (error instanceof MigrationRefused) console.error(text);
  else console.error(`The migration failed: ${text}`);
  if (error instanceof SettingsError) return 2;
  return problem ? 3 : 1;
}

const words = process.argv.slice(2);
const parsing = program.parseAsync(words.length === 0 ? ['apply'] : words, { from: 'user' });
const code = await parsing.then(() => Number(process.exitCode ?? 0), report);
process.exit(code);
