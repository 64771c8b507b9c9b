import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { projectRoot } from '@rewardhook/testing';

/** Runs the operator's command line and returns its document. @throws when its exit code is not 0 */
export type Admin = <T>(...words: string[]) => Promise<T>;

/** The command line as `npm run admin` runs it: a process of its own, from the sources. */
export function adminFromSource(environment: Record<string, string>): Admin {
  const program = ['--import', 'tsx', '-C', 'source', 'apps/admin/src/main.ts'];
  return async <T>(...words: string[]) => {
    const options = { cwd: projectRoot, env: { ...process.env, ...environment } };
    const { stdout } = await promisify(execFile)(process.execPath, [...program, ...words], options);
    return JSON.parse(stdout) as T;
  };
}
