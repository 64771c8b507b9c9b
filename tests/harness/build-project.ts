import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { projectRoot } from '@rewardhook/testing';

/** Builds all workspaces: a test of separate processes runs the built code, as in production. */
export async function buildProject(): Promise<void> {
  await promisify(execFile)(process.execPath, ['node_modules/typescript/bin/tsc', '-b'], {
    cwd: projectRoot,
  });
}
