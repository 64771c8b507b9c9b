// Removes from an image what its processes do not load: `node scripts/prune-image.mjs` in its folder, after
// `npm prune --omit=dev`, which keeps the optional peers of `@prisma/client`: its command line, TypeScript and some 150 packages
// that they depend on. OPENTELEMETRY=false leaves out what exports traces, too.
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = process.cwd();
/** Packages that only the exporter of traces loads. */
const leftOut =
  process.env.OPENTELEMETRY === 'false'
    ? ['exporter-trace-otlp-http', 'resources', 'sdk-trace-base'].map((name) => `@opentelemetry/${name}`)
    : [];
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

/** The folders of the dependencies of all workspaces, and of theirs. */
function findProductionFolders() {
  const found = new Set();
  const visit = (name, from) => {
    if (name.startsWith('@rewardhook/') || leftOut.includes(name)) return;
    const folder = findPackage(name, from);
    // Without a folder it is an optional dependency for another platform.
    if (!folder || found.has(folder)) return;
    found.add(folder);
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = manifestOf(folder);
    const peers = Object.keys(peerDependencies ?? {}).filter(
      (peer) => !peerDependenciesMeta?.[peer]?.optional,
    );
    for (const next of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers])
      visit(next, folder);
  };
  const workspaces = ['apps', 'packages']
    .flatMap((group) => readdirSync(join(root, group)).map((name) => `${group}/${name}`))
    .filter((path) => existsSync(join(root, path, 'package.json')) && !forDevelopment.includes(path))
    .map((path) => join(root, path));
  for (const workspace of workspaces)
    for (const name of Object.keys(manifestOf(workspace).dependencies ?? {})) visit(name, workspace);
  return [...found];
}

const kept = findProductionFolders();
const top = join(root, 'node_modules');
const others = readdirSync(top)
  .filter((name) => !name.startsWith('.') && name !== '@rewardhook')
  .flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(top, name)).map((own) => `${name}/${own}`) : [name],
  )
  .map((name) => join(top, name))
  .filter((folder) => !kept.some((one) => one === folder || one.startsWith(`${folder}/`)));
for (const folder of others) rmSync(folder, { recursive: true, force: true });
console.log(`node_modules: ${others.length} packages removed, ${kept.length} kept`);

/**
 * Removes the query compilers of `@prisma/client` for other databases, and in other forms, than the one that the generated
 * client imports.
 */
function removeOtherCompilers() {
  const generated = readFileSync(join(root, 'packages/database/dist/generated/internal/class.js'), 'utf8');
  const imported = Array.from(
    generated.matchAll(/import\("@prisma\/client\/runtime\/([^"]+)"\)/g),
    ([, file]) => file,
  );
  const runtime = join(top, '@prisma/client/runtime');
  for (const file of readdirSync(runtime).filter((name) => name.startsWith('query_compiler_')))
    if (!imported.includes(file)) rmSync(join(runtime, file));
}

/** Removes what Node.js does not read: types, source maps and empty folders of scopes. */
function removeUnreadFiles() {
  for (const folder of kept)
    for (const file of readdirSync(folder, { recursive: true }))
      if (/\.(d\.[cm]?ts|map)$/.test(file)) rmSync(join(folder, file));
  for (const name of readdirSync(top).filter((scope) => scope.startsWith('@')))
    if (readdirSync(join(top, name)).length === 0) rmSync(join(top, name), { recursive: true });
}

removeOtherCompilers();
removeUnreadFiles();
