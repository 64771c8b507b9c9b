import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot, temporaryFolder } from '@rewardhook/testing';
import { linkPackages } from './deployment/build-image.ts';

jest.setTimeout(240_000);

/** A new checkout after `npm ci`. */
function checkOut(folder: string): void {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: projectRoot,
    encoding: 'utf8',
  });
  for (const path of listed.split('\n'))
    if (path !== '' && existsSync(join(projectRoot, path)))
      cpSync(join(projectRoot, path), join(folder, path), { preserveTimestamps: true });
  linkPackages(folder);
  // What the scripts of the original wrote there.
  const packages = join(folder, 'node_modules');
  for (const name of readdirSync(packages).filter((file) => file.startsWith('.rewardhook-')))
    rmSync(join(packages, name));
}

it('`npm run build` after `npm ci` builds what `npm start -w apps/<name>` runs, and nothing else is needed', () => {
  const folder = temporaryFolder();
  try {
    checkOut(folder.path);
    const { DATABASE_URL: _database, REDIS_URL: _redis, NODE_ENV: _node, ...env } = process.env;
    const npm = (...args: string[]) => spawnSync('npm', args, { cwd: folder.path, encoding: 'utf8', env });
    const { status, stdout, stderr } = npm('run', 'build');
    expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
    expect(npm('start', '-w', 'apps/sync').stderr).toContain('sync: Invalid settings:\n  - DATABASE_URL');
  } finally {
    folder.remove();
  }
});
