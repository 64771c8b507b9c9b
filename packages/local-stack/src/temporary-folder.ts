import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf } from './processes/process-identity.ts';
import { publicFolder } from './servers/public-folder.ts';

/** The names of temporary folders begin with this; the pid of the process that made them follows. */
const prefix = 'rewardhook-test-';

/** The file system in memory of Linux, and the space that a folder in it needs, in bytes. */
const memoryFolder = '/dev/shm';
const neededBytes = 2 ** 30;

/** A folder that its owner removes. */
export interface TemporaryFolder {
  path: string;
  remove(): void;
}

/** Makes an empty folder that every user can reach: under root, PostgreSQL runs as another user. */
export function temporaryFolder(): TemporaryFolder {
  return makeFolder(publicFolder);
}

/** The same in memory, where no write waits for a disk. Where the system has no 1 GiB for that, on the disk. */
export function temporaryFolderInMemory(): TemporaryFolder {
  return makeFolder(hasSpace(memoryFolder) ? memoryFolder : publicFolder);
}

function hasSpace(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= neededBytes;
}

function makeFolder(parent: string): TemporaryFolder {
  const path = mkdtempSync(join(parent, `${prefix}${process.pid}-`));
  chmodSync(path, 0o755);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Removes the temporary folders of processes that ended without removing them. */
export function removeAbandonedFolders(): void {
  for (const parent of [publicFolder, memoryFolder].filter((one) => existsSync(one))) {
    for (const name of readdirSync(parent).filter((one) => one.startsWith(prefix))) {
      const pid = Number(name.slice(prefix.length).split('-')[0]);
      if (identityOf(pid)) continue;
      try {
        rmSync(join(parent, name), { recursive: true, force: true });
      } catch {
        // It belongs to another user.
      }
    }
  }
}
