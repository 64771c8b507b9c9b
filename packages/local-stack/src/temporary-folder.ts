import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf } from './processes/process-identity.ts';
import { publicFolder } from './servers/public-folder.ts';

/** The names of temporary folders begin with this; the pid of the process that made them follows. */
const prefix = 'rewardhook-test-';

/** Makes an empty folder that every user can reach: under root, PostgreSQL runs as another user. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(publicFolder, `${prefix}${process.pid}-`));
  chmodSync(path, 0o755);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Removes the temporary folders of processes that ended without removing them. */
export function removeAbandonedFolders(): void {
  for (const name of readdirSync(publicFolder).filter((one) => one.startsWith(prefix))) {
    const pid = Number(name.slice(prefix.length).split('-')[0]);
    if (identityOf(pid)) continue;
    try {
      rmSync(join(publicFolder, name), { recursive: true, force: true });
    } catch {
      // It belongs to another user.
    }
  }
}
