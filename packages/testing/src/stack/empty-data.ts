import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { postgresHome } from '../servers/postgres-home.ts';

/** Removes what the servers of a data folder have stored. They must not run. */
export function emptyData(dataDir: string, postgresPassword: string): void {
  rmSync(postgresHome(dataDir, postgresPassword), { recursive: true, force: true });
  rmSync(join(dataDir, 'redis'), { recursive: true, force: true });
}
