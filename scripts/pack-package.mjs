// The `prepack` and `postpack` scripts of the packages that merchants install, in the folder of the package. `prepack` builds
// `dist` (ES modules) and `dist/cjs` (CommonJS), and removes from package.json what only this repository uses; `postpack`
// restores package.json. With `bundled`, the package bundles what is packed itself, from what `tsc -b` has built.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';

const saved = '.package.json.before-pack';

if (process.argv[2] === 'restore') {
  renameSync(saved, 'package.json');
} else {
  const text = readFileSync('package.json', 'utf8');
  const manifest = JSON.parse(text);
  build(manifest);
  writeFileSync(saved, text);
  writeFileSync('package.json', `${JSON.stringify(publishable(manifest), null, 2)}\n`);
}

/** The manifest without scripts, development dependencies and the condition `source`, which leads to files that are not packed. */
function publishable({ scripts: _scripts, devDependencies: _devDependencies, ...manifest }) {
  const entries = Object.entries(manifest.exports).map(([entry, target]) => {
    const { source: _source, ...conditions } = target;
    return [entry, conditions];
  });
  return { ...manifest, ...oldEntries(manifest.exports), exports: Object.fromEntries(entries) };
}

/**
 * What TypeScript's oldest resolution (`node10`, the default of `module: commonjs` before TypeScript 7) reads instead of
 * `exports`: CommonJS and its types, by subpath.
 */
function oldEntries(exports) {
  const main = exports['.'].require;
  const subpaths = Object.entries(exports).filter(([entry]) => entry !== '.' && entry !== './package.json');
  const types = Object.fromEntries(subpaths.map(([entry, { require }]) => [entry.slice(2), [require.types]]));
  return {
    main: main.default,
    types: main.types,
    ...(subpaths.length > 0 && { typesVersions: { '*': types } }),
  };
}

/**
 * Builds the package. CommonJS has the types, with their comments, and the entries of the ES modules re-export them, so that
 * they are in the package once.
 */
function build({ exports }) {
  const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
  const run = (...options) => execFileSync(process.execPath, [tsc, ...options], { stdio: 'inherit' });
  run('-b', '--force');
  if (process.argv[2] === 'bundled') return;
  run(
    ...['-p', 'tsconfig.json', '--outDir', 'dist/cjs', '--composite', 'false', '--declaration'],
    ...['--module', 'commonjs', '--moduleResolution', 'bundler', '--verbatimModuleSyntax', 'false'],
    ...['--removeComments', 'false'],
  );
  writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n');
  for (const { import: esm, require: cjs } of Object.values(exports)) {
    const typesOf = ({ types }) => types.replace('./dist/', './').replace(/\.d\.[mc]?ts$/, '.js');
    writeFileSync(esm.types, `export * from '${typesOf(cjs)}';\n`);
  }
  for (const name of readdirSync('dist/cjs').filter((one) => one.endsWith('.js'))) {
    const path = `dist/cjs/${name}`;
    writeFileSync(path, transformSync(readFileSync(path, 'utf8'), { minifyWhitespace: true }).code);
  }
}
