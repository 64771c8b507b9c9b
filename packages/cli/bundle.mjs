import { chmodSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

// `npm run build -w @rewardhook/cli` bundles the command and the entry for tests, so that both can be installed without
// the private packages. `node bundle.mjs <folder>` writes them to another folder.
const here = import.meta.dirname;
const folder = process.argv[2] ?? `${here}/dist/bundle`;
const both = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  conditions: ['source'],
  mainFields: ['module', 'main'],
  legalComments: 'inline',
  metafile: true,
  logOverride: { 'ignored-bare-import': 'silent' },
  define: {
    REWARDHOOK_CLI_VERSION: JSON.stringify(JSON.parse(readFileSync(`${here}/package.json`, 'utf8')).version),
  },
  // commander is CommonJS and requires modules of Node.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
};
const command = `${folder}/rewardhook.js`;
const { metafile } = await build({
  ...both,
  entryPoints: [`${here}/src/main.ts`],
  outfile: command,
  banner: { js: `#!/usr/bin/env node\n${both.banner.js}` },
});
chmodSync(command, 0o755);
const entry = [`${here}/src/index.ts`];
await build({ ...both, entryPoints: entry, outfile: `${folder}/index.js` });
await build({ ...both, entryPoints: entry, outfile: `${folder}/index.cjs`, format: 'cjs', banner: {} });

// The licences of the packages of others in the bundle, which demand that they are passed on.
writeFileSync(
  `${folder}/LICENSES.txt`,
  Object.keys(metafile.inputs).map(packageFolderOf).filter(isNew).map(licenceOf).join('\n'),
);

/** The folder of the package of others that a file belongs to, or undefined. */
function packageFolderOf(file) {
  const [found] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(resolve(file)) ?? [];
  return found;
}

function isNew(path, index, all) {
  return path !== undefined && all.indexOf(path) === index;
}

function licenceOf(path) {
  const { name, version } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  const file = readdirSync(path).find((one) => /^licen[cs]e/i.test(one));
  if (file === undefined) throw new Error(`${name} has no licence file`);
  return `# ${name} ${version}\n\n${readFileSync(join(path, file), 'utf8').trim()}\n`;
}

// The types of the report come from a private package, so they are published beside those of the entry.
const [types, report] = [`${here}/dist/index.d.ts`, `${here}/../certify/dist/report.d.ts`];
if (existsSync(types) && existsSync(report)) {
  for (const [source, name] of [
    [types, 'index'],
    [report, 'report'],
  ]) {
    const text = readFileSync(source, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '');
    for (const kind of ['js', 'cjs'])
      writeFileSync(
        `${folder}/${name}.d.${kind.replace('js', 'ts')}`,
        text.replaceAll('@rewardhook/certify', `./report.${kind}`),
      );
  }
}
