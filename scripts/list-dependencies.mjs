// `npm run dependencies` writes the table of production dependencies in docs/dependencies.md from the installed packages.
// `-- --dates` also asks the registry for the last release of each direct one. `--remove-others` removes all other packages
// from node_modules, for an image.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const docPath = join(root, 'docs/dependencies.md');
const marker = '<!-- written by npm run dependencies -->\n';
/** Workspaces that production code does not import (see .dependency-cruiser.cjs). */
const forDevelopment = ['packages/local-stack', 'packages/testing'];

const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

function findPackage(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
    if (folder === dirname(folder)) return undefined;
  }
}

function licenceOf({ license, licenses }) {
  if (typeof license === 'string') return license;
  if (license?.type) return license.type;
  return licenses?.map(({ type }) => type).join(' OR ') ?? 'none given';
}

/** Every production dependency by its folder, including those for one platform only. */
function findProductionFolders() {
  const workspaces = ['apps', 'packages']
    .flatMap((group) => readdirSync(join(root, group)).map((name) => `${group}/${name}`))
    .filter((path) => existsSync(join(root, path, 'package.json')) && !forDevelopment.includes(path))
    .map((path) => join(root, path));
  const found = new Map();
  const visit = (name, from, direct) => {
    if (name.startsWith('@rewardhook/')) return;
    const folder = findPackage(name, from);
    // An optional dependency for another platform.
    if (!folder) return;
    const known = found.get(folder);
    if (known) return void (known.direct ||= direct);
    const manifest = manifestOf(folder);
    found.set(folder, { manifest, direct });
    const peers = Object.keys(manifest.peerDependencies ?? {}).filter(
      (peer) => !manifest.peerDependenciesMeta?.[peer]?.optional,
    );
    const { dependencies = {}, optionalDependencies = {} } = manifest;
    for (const next of [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...peers])
      visit(next, folder, false);
  };
  for (const workspace of workspaces)
    for (const name of Object.keys(manifestOf(workspace).dependencies ?? {})) visit(name, workspace, true);
  return found;
}

/**
 * The installed production dependencies of all workspaces and their dependencies, sorted by name and version. Packages for
 * one platform only are not included, because they differ from machine to machine.
 */
export function productionDependencies() {
  const unique = new Map();
  for (const { manifest, direct } of findProductionFolders().values())
    if (!manifest.os && !manifest.cpu)
      unique.set(`${manifest.name}@${manifest.version}`, {
        name: manifest.name,
        version: manifest.version,
        licence: licenceOf(manifest),
        direct,
      });
  return [...unique.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

/**
 * Removes all but the production dependencies from node_modules. `npm prune --omit=dev` keeps the optional peers of
 * `@prisma/client`: its command line, TypeScript and their dependencies.
 */
function removeOthers() {
  const kept = [...findProductionFolders().keys()];
  const top = join(root, 'node_modules');
  const namesIn = (folder) => (existsSync(folder) ? readdirSync(folder) : []);
  const installed = namesIn(top)
    .filter((name) => !name.startsWith('.') && name !== '@rewardhook')
    .flatMap((name) =>
      name.startsWith('@') ? namesIn(join(top, name)).map((own) => `${name}/${own}`) : [name],
    );
  const others = installed
    .map((name) => join(top, name))
    .filter((folder) => !kept.some((one) => one === folder || one.startsWith(`${folder}/`)));
  for (const folder of others) rmSync(folder, { recursive: true, force: true });
  console.log(`node_modules: ${others.length} packages removed, ${kept.length} kept`);
}

/** The rows of the table in the document: name, version, licence and, for direct dependencies, the last release. */
export function writtenDependencies() {
  const [, table = ''] = readFileSync(docPath, 'utf8').split(marker);
  return table
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [, name = '', version = '', licence = '', released = ''] = line
        .split('|')
        .map((cell) => cell.trim().replaceAll('`', ''));
      return { name, version, licence, released };
    });
}

/** The release date of the newest version of a package, from the registry. */
function lastRelease(name) {
  const answer = execFileSync('npm', ['view', name, 'time', 'dist-tags.latest', '--json'], {
    encoding: 'utf8',
  });
  const { time, 'dist-tags.latest': latest } = JSON.parse(answer);
  return time[latest].slice(0, 10);
}

function write() {
  const askRegistry = process.argv.includes('--dates');
  const known = new Map(writtenDependencies().map(({ name, released }) => [name, released]));
  const rows = productionDependencies().map(({ name, version, licence, direct }) => {
    const released = !direct ? '' : askRegistry ? lastRelease(name) : (known.get(name) ?? '');
    return [`\`${name}\``, version, licence, released];
  });
  const header = ['package', 'version', 'licence', 'last release'];
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column].length)),
  );
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const table = [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
  const [before] = readFileSync(docPath, 'utf8').split(marker);
  writeFileSync(docPath, `${before}${marker}\n${rows.length} packages.\n\n${table}\n`);
  console.log(`docs/dependencies.md: ${rows.length} packages`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--remove-others')) removeOthers();
  else write();
}
