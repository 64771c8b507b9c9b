// Removes from an image what its processes do not load: `node scripts/prune-image.mjs` in its folder, after
// `npm prune --omit=dev`, which keeps the optional peers of `@prisma/client`: its command line, TypeScript and some 150 packages
// that they depend on. OPENTELEMETRY=false leaves out what exports traces, too.
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findProductionPackages } from './production-packages.mjs';

const root = process.cwd();
const kept = findProductionPackages(root).packages;
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
