import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Stack } from './stack.ts';

/** The files that tell other programs about a running stack. */
export interface StackFiles {
  /** Writes them as the stack is now. */
  write(): void;
  remove(): void;
}

/**
 * `environment.json` in the data folder: the variables that `npm run admin` works with. `stack.json`, when a path
 * is given: what the README says of it. Both are readable for their owner only, since they hold passwords, and
 * never seen half written.
 */
export function stackFiles(stack: Stack, dataDir: string, stackPath?: string): StackFiles {
  const environmentPath = join(dataDir, 'environment.json');
  return {
    write() {
      writeWhole(environmentPath, { ownerPid: process.pid, environment: stack.environment });
      if (!stackPath) return;
      const { apiUrl, dashboardUrl, dashboardUser, dashboardPassword, databaseUrl, redisUrl } = stack;
      const urls = { apiUrl, dashboardUrl, dashboardUser, dashboardPassword, databaseUrl, redisUrl };
      writeWhole(stackPath, { ...urls, processes: stack.processes() });
    },
    remove() {
      rmSync(environmentPath, { force: true });
      if (stackPath) rmSync(stackPath, { force: true });
    },
  };
}

function writeWhole(path: string, value: object): void {
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, path);
}
