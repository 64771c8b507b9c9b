import { chmodSync, copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
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
await build({
  ...both,
  entryPoints: [`${here}/src/main.ts`],
  outfile: command,
  banner: { js: `#!/usr/bin/env node\n${both.banner.js}` },
});
chmodSync(command, 0o755);
await build({ ...both, entryPoints: [`${here}/src/index.ts`], outfile: `${folder}/index.js` });

// The types of the report come from a private package, so they are published beside those of the entry.
const [types, report] = [`${here}/dist/index.d.ts`, `${here}/../certify/dist/report.d.ts`];
if (existsSync(types) && existsSync(report)) {
  copyFileSync(report, `${folder}/report.d.ts`);
  writeFileSync(
    `${folder}/index.d.ts`,
    readFileSync(types, 'utf8')
      .replaceAll('@rewardhook/certify', './report.js')
      .replace(/^\/\/# sourceMappingURL=.*$/m, ''),
  );
}
