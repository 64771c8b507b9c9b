import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The secrets of a stack. They are generated once for a data folder and stored there, readable by the owner only. */
export interface Secrets {
  /** 32 bytes in base64: the key that encrypts the secrets in the database. */
  secretsKey: string;
  postgresPassword: string;
  operatorPassword: string;
  viewerPassword: string;
}

/** Reads the secrets of a data folder, or generates them. */
export function secretsOf(dataDir: string): Secrets {
  const path = join(dataDir, 'secrets.json');
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Secrets;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const password = () => randomBytes(12).toString('base64url');
  const secrets: Secrets = {
    secretsKey: randomBytes(32).toString('base64'),
    postgresPassword: password(),
    operatorPassword: password(),
    viewerPassword: password(),
  };
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(path, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  return secrets;
}
