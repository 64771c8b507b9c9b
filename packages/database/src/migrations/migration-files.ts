import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder `prisma/migrations`; the relative path is the same from `src` and from `dist`. */
export const migrationsFolder = join(
  dirname(fileURLToPath(import.meta.url)),
  '../../../../prisma/migrations',
);

/** One migration of this release. */
export interface MigrationFile {
  /** The name of its folder, which starts with a time: migrations are applied in the order of their names. */
  name: string;
  sql: string;
  /** SHA-256 of the script in hex, as Prisma computes it. */
  checksum: string;
}

/** Reads the migrations of a folder in the layout of Prisma, in the order in which they are applied. */
export function readMigrations(folder = migrationsFolder): MigrationFile[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, 'migration.sql')))
    .map(({ name }) => {
      const sql = readFileSync(join(folder, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
