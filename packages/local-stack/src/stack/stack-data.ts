import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { postgresHome } from '../servers/postgres-home.ts';
import { secretsOf } from './secrets.ts';

/** Removes what the servers of a data folder have stored, and the mails. They must not run. */
export function emptyData(dataDir: string): void {
  rmSync(postgresHome(dataDir, secretsOf(dataDir).postgresPassword), { recursive: true, force: true });
  rmSync(join(dataDir, 'redis'), { recursive: true, force: true });
  rmSync(join(dataDir, 'mail'), { recursive: true, force: true });
}

/** Removes all of a stopped stack: its data folder, and the PostgreSQL data that under root is elsewhere. */
export function removeStackData(dataDir: string): void {
  rmSync(dirname(postgresHome(dataDir, secretsOf(dataDir).postgresPassword)), {
    recursive: true,
    force: true,
  });
  rmSync(dataDir, { recursive: true, force: true });
}
