import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { postgresHome } from '../servers/postgres-home.ts';
import { secretsOf } from './secrets.ts';

/** Removes the data of the servers of a data folder, and the mails. The servers must not be running. */
export function emptyData(dataDir: string): void {
  rmSync(postgresHome(dataDir, secretsOf(dataDir).postgresPassword), { recursive: true, force: true });
  rmSync(join(dataDir, 'redis'), { recursive: true, force: true });
  rmSync(join(dataDir, 'mail'), { recursive: true, force: true });
}

/** Removes the data folder of a stopped stack, and the PostgreSQL data, which under root is in another folder. */
export function removeStackData(dataDir: string): void {
  rmSync(dirname(postgresHome(dataDir, secretsOf(dataDir).postgresPassword)), {
    recursive: true,
    force: true,
  });
  rmSync(dataDir, { recursive: true, force: true });
}
