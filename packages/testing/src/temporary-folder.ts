import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { publicFolder } from './servers/public-folder.ts';

/** How their names begin; the pid of the process that made them follows. */
export const temporaryPrefix = 'rewardhook-test-';

/** An empty folder that every user can reach, so that a PostgreSQL under root can too, and its removal. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(publicFolder, `${temporaryPrefix}${process.pid}-`));
  chmodSync(path, 0o755);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
