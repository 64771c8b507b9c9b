import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// `npm run lock` writes package-lock.json after a change of dependencies. npm records only the platform packages
// that its registry serves (binaries of swc, esbuild, PostgreSQL …). With a registry that mirrors one platform only, the lock
// would make `npm ci` fail on all others, so the missing packages are added by name and version.
const root = fileURLToPath(new URL('..', import.meta.url));

// Outside the workspaces, so that `npm ci` of the repository does not install them: the tests that need them do.
const foldersOfTests = ['tests/frameworks', 'tests/next'];

updateLock('.', workspaceManifests());
for (const folder of foldersOfTests) updateLock(folder, []);

function updateLock(folder, workspaces) {
  const lockPath = join(root, folder, 'package-lock.json');
  resolveDependencies(join(root, folder), workspaces, lockPath);
  const lock = JSON.parse(readFileSync(lockPath, 'utf8'));
  const added = addMissingPlatforms(lock.packages);
  lock.packages = sortByPath(lock.packages);
  writeFileSync(lockPath, `${JSON.stringify(lock, null, 2)}\n`);
  const count = Object.keys(lock.packages).length;
  console.log(`${join(folder, 'package-lock.json')}: ${count} packages; added for other platforms: ${added}`);
}

/**
 * Lets npm write the lock, without URLs of the registry. npm runs on a copy of the package.json files, because it would omit
 * packages that are missing from this machine's node_modules.
 */
function resolveDependencies(from, workspaces, lockPath) {
  const folder = mkdtempSync(join(tmpdir(), 'rewardhook-lock-'));
  try {
    copyFileSync(join(root, '.npmrc'), join(folder, '.npmrc'));
    for (const path of ['package.json', 'package-lock.json', ...workspaces])
      if (existsSync(join(from, path))) cpSync(join(from, path), join(folder, path), { recursive: true });
    const args = ['install', '--package-lock-only', '--no-progress', '--loglevel=error'];
    const npm = process.env.npm_execpath;
    const [command, given] = npm ? [process.execPath, [npm, ...args]] : ['npm', args];
    const { status } = spawnSync(command, given, { cwd: folder, stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
    copyFileSync(join(folder, 'package-lock.json'), lockPath);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function workspaceManifests() {
  return ['apps', 'packages'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => `${group}/${name}/package.json`),
  );
}

/** Adds the missing entries of optional dependencies. Returns their number. */
function addMissingPlatforms(packages) {
  let count = 0;
  for (const [path, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
    const siblings = Object.keys(optionalDependencies).map((name) => findPackage(packages, path, name));
    const known = siblings.find(Boolean)?.version;
    for (const [name, range] of Object.entries(optionalDependencies)) {
      if (findPackage(packages, path, name)) continue;
      const { os, cpu } = platformOf(name);
      const version = /^\d/.test(range) ? range : known;
      if (!version) throw new Error(`${name}: no version can be derived from the range ${range}`);
      packages[`node_modules/${name}`] = {
        version,
        cpu: [cpu],
        ...(dev ? { dev } : {}),
        optional: true,
        os: [os],
      };
      count += 1;
    }
  }
  return count;
}

/** The entry that `name` resolves to from the package at `path`, looked up as Node does: upwards. */
function findPackage(packages, path, name) {
  for (let folder = path; ; folder = parentOf(folder)) {
    const found = packages[`${folder}${folder ? '/' : ''}node_modules/${name}`];
    if (found || folder === '') return found;
  }
}

function parentOf(folder) {
  const nested = folder.lastIndexOf('/node_modules/');
  return nested === -1 ? '' : folder.slice(0, nested);
}

/** Operating system and processor, in Node's names, from a platform package's name such as `core-linux-arm64-gnu`. */
function platformOf(name) {
  const words = name.split('/').at(-1).split('-');
  const systems = { windows: 'win32', win32: 'win32' };
  const at = words.findLastIndex((word) =>
    ['aix', 'android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32', 'windows'].includes(word),
  );
  if (at === -1 || !words[at + 1]) throw new Error(`${name}: the name does not contain a platform`);
  return { os: systems[words[at]] ?? words[at], cpu: words[at + 1] };
}

function sortByPath(packages) {
  return Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en')));
}
