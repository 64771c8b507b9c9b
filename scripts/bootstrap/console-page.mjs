import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf } from './dependencies.mjs';
import { step } from './steps.mjs';

/** Builds the console's page unless the build is up to date. */
export async function ensureConsolePage(root) {
  const folder = join(root, 'apps/console');
  const stamp = join(folder, 'dist-web/.built-from');
  const wanted = hashOf(sourcesOf(root, folder));
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  await step('build of the console', process.execPath, [vite, 'build'], { cwd: folder });
  writeFileSync(stamp, wanted);
}

function sourcesOf(root, folder) {
  const documents = ['CHANGELOG.md', ...readdirSync(join(root, 'docs'), { recursive: true })]
    .filter((path) => path.endsWith('.md'))
    .map((path) => (path === 'CHANGELOG.md' ? join(root, path) : join(root, 'docs', path)));
  const page = readdirSync(join(folder, 'web'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return [
    join(folder, 'package.json'),
    join(folder, 'vite.config.ts'),
    ...[...documents, ...page].toSorted(),
  ];
}
