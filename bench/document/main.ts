import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { projectRoot } from '@rewardhook/local-stack';
import { fillPage } from './fill-page.ts';
import { mergeResult, readMeasured, writeMeasured } from './measured.ts';
import type { ResultFile } from './measured.ts';

const usage = `Publishes figures of the bench: writes them to docs/performance.json, and its tables to docs/performance.md.

Usage: npm run bench:document -- [bench/results/<time>.json …]
Each section is replaced by that of the last file that has it; the others stay. Without a file only the tables are written.`;

async function main(paths: string[]): Promise<void> {
  if (paths.includes('--help')) return console.log(usage);
  const results = paths.map((path) => JSON.parse(readFileSync(path, 'utf8')) as ResultFile);
  const measured = results.reduce(mergeResult, readMeasured());
  const page = join(projectRoot, 'docs/performance.md');
  const filled = fillPage(readFileSync(page, 'utf8'), measured);
  writeMeasured(measured);
  writeFileSync(page, await format(filled, { parser: 'markdown', singleQuote: true, printWidth: 110 }));
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
