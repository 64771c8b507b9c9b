import { build } from 'esbuild';

// `npm run build -w @rewardhook/browser-sdk` builds both minified bundles in dist, or in the folder that is given.
const here = import.meta.dirname;
const folder = process.argv[2] ?? `${here}/dist`;
const both = {
  bundle: true,
  minify: true,
  target: 'es2020',
  legalComments: 'none',
};
// For <script type="module">.
await build({
  ...both,
  entryPoints: [`${here}/src/index.ts`],
  format: 'esm',
  outfile: `${folder}/rewardhook.mjs`,
});
// For a classic <script>: window.Rewardhook.
await build({
  ...both,
  entryPoints: [`${here}/src/classic.ts`],
  format: 'iife',
  outfile: `${folder}/rewardhook.js`,
});
