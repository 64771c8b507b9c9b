import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '@rewardhook/testing';

/** Builds the page into a folder, as `vite build` does for production. */
export async function buildPage(folder: string): Promise<void> {
  const vite = join(projectRoot, 'node_modules/vite/bin/vite.js');
  await promisify(execFile)(process.execPath, [vite, 'build', '--outDir', folder, '--logLevel', 'error'], {
    cwd: join(projectRoot, 'apps/console'),
    // jest says `test`, and React would bring its development build along.
    env: { ...process.env, NODE_ENV: 'production' },
  });
}
