import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  migrationsFolder,
  readMigrations,
  readReleases,
  releasesFile,
} from '@rewardhook/database/operations';
import { projectRoot, startPostgres, temporaryFolder } from '@rewardhook/local-stack';
import { initialScript, laterScript, readSqlFiles } from './migration-script.ts';
import { schemaDifference } from './schema-engine.ts';

const usage = `npm run migration                       writes the initial migration again, before the first release
npm run migration -- <name>             writes a migration for the changes since the last commit, after it
npm run migration -- --release <name>   records that a release has the migrations that there are
npm run migration -- --print            prints the script that creates everything`;

const schemaPath = 'prisma/schema.prisma';
const schema = readFileSync(join(projectRoot, schemaPath), 'utf8');
const git = (...words: string[]) => execFileSync('git', words, { cwd: projectRoot, encoding: 'utf8' });

/** The files of prisma/sql in the last commit, by their paths in it. */
function committedSqlFiles(): Map<string, string> {
  const paths = git('ls-tree', '-r', '--name-only', 'HEAD', 'prisma/sql').split('\n').filter(Boolean);
  return new Map(paths.map((path) => [path.slice('prisma/sql/'.length), git('show', `HEAD:${path}`)]));
}

/** Runs with the URL of the PostgreSQL that Prisma's engine connects to: DATABASE_URL, or one that is started for it. */
async function withPostgres<T>(run: (url: string) => Promise<T>): Promise<T> {
  const url = process.env['DATABASE_URL'];
  if (url) return run(url);
  const folder = temporaryFolder();
  const postgres = await startPostgres({ dataDir: join(folder.path, 'postgres'), password: 'migration' });
  try {
    return await run(postgres.url);
  } finally {
    await postgres.stop();
    folder.remove();
  }
}

const createAll = () =>
  withPostgres(async (url) => initialScript(await schemaDifference(url, '', schema), readSqlFiles()));

function write(name: string, script: string): void {
  const folder = join(migrationsFolder, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'migration.sql'), script);
  console.log(`prisma/migrations/${name}/migration.sql`);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { print: { type: 'boolean' }, release: { type: 'string' } },
    allowPositionals: true,
  });
  const [name] = positionals;
  const migrations = readMigrations();
  const releases = readReleases();
  if (values.print) process.stdout.write(await createAll());
  else if (values.release !== undefined) {
    const checksums = Object.fromEntries(migrations.map((one) => [one.name, one.checksum]));
    releases.push({ release: values.release, migrations: checksums });
    writeFileSync(releasesFile, `${JSON.stringify(releases, null, 2)}\n`);
  } else if (releases.length === 0) write(migrations[0]?.name ?? '20261122000000_initial', await createAll());
  else if (name !== undefined) {
    const tables = await withPostgres((url) =>
      schemaDifference(url, git('show', `HEAD:${schemaPath}`), schema),
    );
    const time = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
    write(`${time}_${name}`, laterScript(tables, committedSqlFiles(), readSqlFiles()));
  } else throw new Error(`A release has the initial migration: name the new one.\n${usage}`);
}

await main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
