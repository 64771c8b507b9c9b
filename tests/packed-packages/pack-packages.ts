import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '@rewardhook/testing';

const run = promisify(execFile);

/** Copies the packages, because packing changes files while other tests read them. What they import comes from the copy too. */
function copyPackages(copy: string): void {
  for (const path of [join(copy, 'scripts'), join(copy, 'node_modules/@rewardhook')])
    mkdirSync(path, { recursive: true });
  for (const file of ['tsconfig.base.json', 'scripts/pack-package.mjs'])
    copyFileSync(join(projectRoot, file), join(copy, file));
  for (const name of readdirSync(join(projectRoot, 'node_modules')).filter((one) => one !== '@rewardhook'))
    symlinkSync(join(projectRoot, 'node_modules', name), join(copy, 'node_modules', name));
  const isBuilt = /\/(dist|node_modules)$|\.tsbuildinfo$/;
  for (const name of readdirSync(join(projectRoot, 'packages'))) {
    const [from, to] = [join(projectRoot, 'packages', name), join(copy, 'packages', name)];
    cpSync(from, to, { recursive: true, filter: (path) => !isBuilt.test(path) });
    const modules = join(from, 'node_modules');
    if (existsSync(modules)) symlinkSync(modules, join(to, 'node_modules'));
    symlinkSync(to, join(copy, 'node_modules/@rewardhook', name));
  }
}

/** Packs packages as `npm publish` does, from a copy of them that is made in the folder `copy`. */
export async function packPackages(
  names: string[],
  { copy, tarballs }: { copy: string; tarballs: string },
): Promise<void> {
  mkdirSync(tarballs, { recursive: true });
  copyPackages(copy);
  for (const name of names)
    await run('npm', ['pack', '--pack-destination', tarballs], { cwd: join(copy, 'packages', name) });
}
