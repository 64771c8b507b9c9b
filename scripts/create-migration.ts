import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrationsFolder, noFilters, openSchemaEngine, readMigrations } from '@rewardhook/database';

// Writes the SQL from the last migration to prisma/schema.prisma, offline.
// Usage: node --import tsx -C source scripts/create-migration.ts <name>   (DATABASE_URL: any PostgreSQL)
const name = process.argv[2];
const url = process.env['DATABASE_URL'];
if (!name || !url) {
  console.error(
    'Usage: DATABASE_URL=postgresql://… node --import tsx -C source scripts/create-migration.ts <name>',
  );
  process.exit(1);
}
const schemaPath = join(migrationsFolder, '../schema.prisma');
const engine = await openSchemaEngine(url);
const migrations = readMigrations();
const { stdout } = await engine.diff({
  from: migrations.migrationDirectories.length ? { tag: 'migrations', ...migrations } : { tag: 'empty' },
  to: { tag: 'schemaDatamodel', files: [{ path: schemaPath, content: readFileSync(schemaPath, 'utf8') }] },
  script: true,
  exitCode: null,
  shadowDatabaseUrl: null,
  filters: noFilters,
});
const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
const folder = join(migrationsFolder, `${stamp}_${name}`);
mkdirSync(folder);
writeFileSync(join(folder, 'migration.sql'), stdout ?? '');
console.log(folder);
process.exit(0);
