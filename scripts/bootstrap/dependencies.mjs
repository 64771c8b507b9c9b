import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printProgress, Problem, step } from './steps.mjs';

/**
 * Runs `npm ci` when node_modules is missing, and `npm install` when a package.json or package-lock.json has changed since
 * the last installation, and says so. Without `install` it installs nothing.
 * @throws Problem that says what to run, without `install`
 */
export async function ensureDependencies(root, { install }) {
  const manifests = [...manifestPaths(root), join(root, 'package-lock.json')];
  const stamp = join(root, 'node_modules/.rewardhook-dependencies');
  const wanted = hashOf(manifests);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  if (!isInstalledByHand(root, manifests)) {
    const npm = process.env.npm_execpath;
    const command = existsSync(join(root, 'node_modules')) ? 'install' : 'ci';
    if (!install) throw new Problem('The packages of this checkout are not installed. Run: npm ci');
    printProgress(
      `The packages of this checkout are not installed, or have changed: npm ${command} installs them now.`,
    );
    const args = [command, '--include=dev', '--no-progress', '--loglevel=warn'];
    const [program, words] = npm ? [process.execPath, [npm, ...args]] : ['npm', args];
    await step(`npm ${command}`, program, words, { cwd: root });
  }
  writeFileSync(stamp, wanted);
}

function manifestPaths(root) {
  const workspaces = ['apps', 'packages'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(root, folder, name, 'package.json')),
  );
  return [join(root, 'package.json'), ...workspaces.filter((path) => existsSync(path)).sort()];
}

/**
 * Whether `npm install` was run by hand: npm's list of installed packages is newer than every package.json and the
 * lock.
 */
function isInstalledByHand(root, manifests) {
  const installed = statSync(join(root, 'node_modules/.package-lock.json'), { throwIfNoEntry: false });
  return installed !== undefined && manifests.every((path) => statSync(path).mtimeMs < installed.mtimeMs);
}

/** The hash of some files' contents. */
export function hashOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(readFileSync(path)).update('\0');
  return hash.digest('hex');
}
