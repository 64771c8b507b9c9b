import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrationsFolder } from './migration-files.ts';

/** A release of Rewardhook, with the migrations that it has: their names and checksums. They never change again. */
export interface Release {
  release: string;
  migrations: Record<string, string>;
}

/** The file that lists the releases, the oldest first. `npm run migration -- --release <name>` adds one. */
export const releasesFile = join(migrationsFolder, '../releases.json');

/** Reads the releases. */
export function readReleases(): Release[] {
  return JSON.parse(readFileSync(releasesFile, 'utf8')) as Release[];
}
