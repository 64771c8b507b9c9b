import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MigrationList } from '@prisma/schema-engine-wasm';
import { openSchemaEngine } from './schema-engine.ts';

/** The folder `prisma/migrations`; the relative path is the same from `src` and from `dist`. */
export const migrationsFolder = join(
  dirname(fileURLToPath(import.meta.url)),
  '../../../../prisma/migrations',
);

/** All tables are managed by the migrations. */
export const noFilters = { externalTables: [], externalEnums: [] };

/** Reads `prisma/migrations` in the shape that Prisma's schema engine takes. */
export function readMigrations(): MigrationList {
  const names = readdirSync(migrationsFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(migrationsFolder, entry.name, 'migration.sql')))
    .map((entry) => entry.name)
    .sort();
  return {
    baseDir: migrationsFolder,
    lockfile: {
      path: 'migration_lock.toml',
      content: readFileSync(join(migrationsFolder, 'migration_lock.toml'), 'utf8'),
    },
    migrationDirectories: names.map((name) => ({
      path: name,
      migrationFile: {
        path: 'migration.sql',
        content: { tag: 'ok', value: readFileSync(join(migrationsFolder, name, 'migration.sql'), 'utf8') },
      },
    })),
    shadowDbInitScript: '',
  };
}

/**
 * Applies the migrations that are missing in the database, like `prisma migrate deploy`.
 * Returns their names; a second run returns none.
 */
export async function migrateDatabase(databaseUrl: string): Promise<string[]> {
  const engine = await openSchemaEngine(databaseUrl);
  try {
    const applied = await engine.applyMigrations({ migrationsList: readMigrations(), filters: noFilters });
    return applied.appliedMigrationNames;
  } finally {
    engine.free();
  }
}
