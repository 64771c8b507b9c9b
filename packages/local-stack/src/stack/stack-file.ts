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
 * `environment.json` in the data folder: the variables that `npm run admin` works with. `stack.json` beside it:
 * what the README says of it. Both are readable for their owner only, since they hold passwords, and
 * never seen half written.
 */
export function stackFiles(stack: Stack, dataDir: string): StackFiles {
  const { environmentPath, stackPath } = pathsIn(dataDir);
  return {
    write() {
      writeWhole(environmentPath, { ownerPid: process.pid, environment: stack.environment });
      const { apiUrl, dashboardUrl, dashboardUser, dashboardPassword, consoleUrl, databaseUrl, redisUrl } =
        stack;
      const urls = {
        apiUrl,
        dashboardUrl,
        dashboardUser,
        dashboardPassword,
        consoleUrl,
        databaseUrl,
        redisUrl,
      };
      writeWhole(stackPath, { ...urls, processes: stack.processes() });
    },
    remove: () => removeStackFiles(dataDir),
  };
}

/** Removes the files of a stack that does not run any more. */
export function removeStackFiles(dataDir: string): void {
  for (const path of Object.values(pathsIn(dataDir))) rmSync(path, { force: true });
}

function pathsIn(dataDir: string): { environmentPath: string; stackPath: string } {
  return { environmentPath: join(dataDir, 'environment.json'), stackPath: join(dataDir, 'stack.json') };
}

function writeWhole(path: string, value: object): void {
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, path);
}
