import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '@rewardhook/testing';

/**
 * The folder of the page as `vite build` writes it for production. The first test file that needs it builds it, once in
 * a test run.
 */
export async function buildPage(): Promise<string> {
  const run = process.env['TEST_RUN_FOLDER'];
  if (!run) throw new Error('TEST_RUN_FOLDER is not set: was jest started with its global set-up?');
  const shared = join(run, 'page');
  if (existsSync(shared)) return shared;
  const own = mkdtempSync(`${shared}-`);
  await build(own);
  try {
    renameSync(own, shared);
  } catch (error) {
    if (!existsSync(shared)) throw error;
    // Another test file was faster.
    rmSync(own, { recursive: true });
  }
  return shared;
}

async function build(folder: string): Promise<void> {
  const vite = join(projectRoot, 'node_modules/vite/bin/vite.js');
  await promisify(execFile)(process.execPath, [vite, 'build', '--outDir', folder, '--logLevel', 'error'], {
    cwd: join(projectRoot, 'apps/console'),
    // jest sets `test`, with which React would bundle its development build.
    env: { ...process.env, NODE_ENV: 'production' },
  });
}
