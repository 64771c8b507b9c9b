import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What another program needs to use a running stack. */
export interface StackDescription {
  apiUrl: string;
  dashboardUrl: string;
  dashboardUser: string;
  dashboardPassword: string;
  consoleUrl: string;
  databaseUrl: string;
  redisUrl: string;
  /** The environment variables with which another program works on the same data. */
  environment: Record<string, string>;
  /** Names and pids of the running processes, including `postgres` and `redis` when the stack has started them. */
  processes(): { name: string; pid: number }[];
}

/** The files that describe a running stack to other programs. */
export interface StackFiles {
  /** Writes the current state of the stack. */
  write(): void;
  remove(): void;
}

/**
 * `environment.json` in the data folder has the variables for `npm run admin`; `stack.json` beside it has URLs, logins and
 * processes. Both are readable by their owner only, because they hold passwords, and are replaced atomically.
 */
export function stackFiles(stack: StackDescription, dataDir: string): StackFiles {
  const { environmentPath, stackPath } = pathsIn(dataDir);
  return {
    write() {
      writeAtomically(environmentPath, { ownerPid: process.pid, environment: stack.environment });
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
      writeAtomically(stackPath, { ...urls, processes: stack.processes() });
    },
    remove: () => removeStackFiles(dataDir),
  };
}

/** Removes the files of a stack that has stopped. */
export function removeStackFiles(dataDir: string): void {
  for (const path of Object.values(pathsIn(dataDir))) rmSync(path, { force: true });
}

function pathsIn(dataDir: string): { environmentPath: string; stackPath: string } {
  return { environmentPath: join(dataDir, 'environment.json'), stackPath: join(dataDir, 'stack.json') };
}

function writeAtomically(path: string, value: object): void {
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, path);
}
