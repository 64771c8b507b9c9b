import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { publicFolder } from './public-folder.ts';

/**
 * The folder for the PostgreSQL data of a data folder. It is inside the data folder, or under root, where PostgreSQL runs as
 * `nobody` and may not be able to read the checkout, in `/var/tmp/rewardhook-<hash of the data folder's path>`.
 * Data that was created with another password belongs to an earlier checkout at the same path. Its password is lost, so the
 * data is removed.
 */
export function postgresHome(dataDir: string, password: string): string {
  mkdirSync(dataDir, { recursive: true });
  const home = process.getuid?.() === 0 ? publicHome(dataDir) : join(dataDir, 'postgresql');
  const ownerFile = join(home, 'owner');
  const owner = createHash('sha256').update(password).digest('hex');
  if (existsSync(ownerFile) && readFileSync(ownerFile, 'utf8') !== owner) rmSync(home, { recursive: true });
  mkdirSync(home, { recursive: true });
  chmodSync(home, 0o755);
  writeFileSync(ownerFile, owner, { mode: 0o600 });
  return join(home, 'data');
}

function publicHome(dataDir: string): string {
  const hash = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 12);
  const home = join(publicFolder, `rewardhook-${hash}`);
  const made = statSync(home, { throwIfNoEntry: false });
  if (made && made.uid !== 0) throw new Error(`${home} exists and does not belong to root: remove it`);
  return home;
}
