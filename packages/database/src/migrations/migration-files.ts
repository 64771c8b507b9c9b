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
  /**
   * Whether its statements must run outside a transaction, such as CREATE INDEX CONCURRENTLY. Such a script can be
   * repeated: it is run again after a failure.
   */
  outsideTransaction: boolean;
}

/** The line of a script that has to run outside a transaction. */
export const outsideTransactionMark = '-- migrate: outside a transaction';

/** Reads the migrations of a folder in the layout of Prisma, in the order in which they are applied. */
export function readMigrations(folder = migrationsFolder): MigrationFile[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, 'migration.sql')))
    .map(({ name }) => {
      const sql = readFileSync(join(folder, name, 'migration.sql'), 'utf8');
      return {
        name,
        sql,
        checksum: createHash('sha256').update(sql).digest('hex'),
        outsideTransaction: sql.split('\n').includes(outsideTransactionMark),
      };
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * Splits a script that runs outside a transaction: PostgreSQL runs several statements that are sent at once in one
 * transaction. A statement ends with a semicolon at the end of a line; quoted function bodies are not supported.
 */
export function splitStatements(sql: string): string[] {
  return sql
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('--'))
    .join('\n')
    .split(/;[ \t]*(?:\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
