import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '@rewardhook/testing';

const run = promisify(execFile);

/**
 * Installs the packages of a folder that is no workspace (`tests/frameworks`), with `npm ci` and without scripts, into a cache
 * that is named after its lock. Returns the path of `node_modules`.
 */
export async function installLocked(folder: string): Promise<string> {
  const from = join(projectRoot, folder);
  const lock = readFileSync(join(from, 'package-lock.json'));
  const cache = join(projectRoot, 'node_modules/.cache/rewardhook');
  const name = `${folder.replaceAll('/', '-')}-${createHash('sha256').update(lock).digest('hex').slice(0, 16)}`;
  const installed = join(cache, name);
  if (!existsSync(installed)) {
    mkdirSync(cache, { recursive: true });
    const growing = mkdtempSync(join(cache, 'installing-'));
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(from, file), join(growing, file));
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await run('npm', ['ci', ...options], { cwd: growing });
    // Another test file may have been faster.
    if (existsSync(installed)) rmSync(growing, { recursive: true });
    else renameSync(growing, installed);
  }
  return join(installed, 'node_modules');
}
