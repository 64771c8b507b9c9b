import { build } from 'esbuild';

// `npm run build -w @rewardhook/browser-sdk` builds both minified bundles in dist, or in the folder that is given.
const here = import.meta.dirname;
const folder = process.argv[2] ?? `${here}/dist`;
const both = {
  entryPoints: [`${here}/src/index.ts`],
  bundle: true,
  minify: true,
  target: 'es2020',
  legalComments: 'none',
};
// For <script type="module">.
await build({ ...both, format: 'esm', outfile: `${folder}/rewardhook.mjs` });
// For a classic <script>: window.Rewardhook.
await build({ ...both, format: 'iife', globalName: 'Rewardhook', outfile: `${folder}/rewardhook.js` });
