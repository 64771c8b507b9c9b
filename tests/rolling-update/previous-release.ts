import { execFile } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '@rewardhook/testing';

const run = promisify(execFile);

/** The file that names the commit of the previous release. */
const versionFile = 'prisma/previous-version';

/**
 * Writes the sources of the previous release to a folder, from the history of this repository, so that its processes can
 * be started there. They use the installed packages of this checkout, and the workspaces and Prisma client of their own
 * release.
 * @throws when the history does not contain the commit
 */
export async function checkOutPreviousRelease(folder: string): Promise<void> {
  const commit = readFileSync(join(projectRoot, versionFile), 'utf8').trim();
  await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: projectRoot }).catch((cause: unknown) => {
    throw new Error(
      `${versionFile} names the commit ${commit}, which this repository does not contain. ` +
        'In a shallow clone, run git fetch --unshallow. If history was rewritten, correct the file.',
      { cause },
    );
  });
  mkdirSync(folder, { recursive: true });
  const archive = join(folder, 'sources.tar');
  const paths = ['apps', 'packages', 'prisma', 'package.json', 'prisma.config.ts', 'tsconfig.base.json'];
  await run('git', ['archive', '--output', archive, commit, ...paths], { cwd: projectRoot });
  await run('tar', ['-xf', archive, '-C', folder]);
  linkPackages(folder);
  const prisma = join(projectRoot, 'node_modules/prisma/build/index.js');
  // Prisma would download a schema engine, which `generate` does not run. The path of any program prevents that.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath };
  await run(process.execPath, [prisma, 'generate'], { cwd: folder, env });
}

/** Makes the folders `node_modules` of a checkout: links to installed packages, and to its own workspaces. */
function linkPackages(folder: string): void {
  const installed = join(projectRoot, 'node_modules');
  const links = join(folder, 'node_modules');
  mkdirSync(join(links, '@rewardhook'), { recursive: true });
  for (const name of readdirSync(installed))
    if (name !== '@rewardhook') symlinkSync(join(installed, name), join(links, name));
  for (const group of ['apps', 'packages']) {
    for (const name of readdirSync(join(folder, group))) {
      const workspace = join(folder, group, name);
      if (!lstatSync(workspace).isDirectory()) continue;
      symlinkSync(workspace, join(links, '@rewardhook', name));
      const own = join(projectRoot, group, name, 'node_modules');
      if (existsSync(own)) symlinkSync(own, join(workspace, 'node_modules'));
    }
  }
  // Node resolves links to their target, where `tsx` and the settings of TypeScript are found.
  writeFileSync(join(folder, 'tsconfig.json'), '{ "extends": "./tsconfig.base.json", "include": [] }\n');
}
