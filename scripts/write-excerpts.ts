import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';

// `npm run docs:excerpts` writes the code of files into the documents. A code block whose first line is
// ```js file=examples/receivers/koa.mjs has the complete file; with #name behind the path, what stands between
// `#region name` and `#endregion` in it. Tests run the files, and compare the documents with them.

const root = fileURLToPath(new URL('..', import.meta.url));
const marker = /^ *\/\/ #(?:end)?region\b.*\n/gm;

/** The code blocks of a document that have the code of a file: the first line, and the code. */
export const excerptBlock = /^(```\w+ file=(\S+))\n([\s\S]*?)^```$/gm;

/** The code of a file, or of a region of it, without the marks of regions and without common indentation. */
function excerptOf(reference: string): string {
  const [path = '', region] = reference.split('#');
  const text = readFileSync(join(root, path), 'utf8');
  if (region === undefined) return text.replaceAll(marker, '');
  const [, after] = text.split(`// #region ${region}\n`);
  const [code, end] = after?.split(/^ *\/\/ #endregion$/m) ?? [];
  if (code === undefined || end === undefined) throw new Error(`${path} has no region ${region}`);
  const indentations = [...code.matchAll(/^ *(?=\S)/gm)].map(([spaces]) => spaces.length);
  const indented = ' '.repeat(Math.min(...indentations));
  return code.replaceAll(marker, '').replaceAll(new RegExp(`^${indented}`, 'gm'), '');
}

/** A document with the code that its files have. */
export const withExcerpts = (document: string): string =>
  document.replaceAll(
    excerptBlock,
    (_block, head: string, reference: string) => `${head}\n${excerptOf(reference)}\`\`\``,
  );

/** The paths of all documents. */
export const documentPaths = (): string[] =>
  execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n');

if (import.meta.url === pathToFileURL(argv[1] ?? '').href)
  for (const path of documentPaths()) {
    const text = readFileSync(join(root, path), 'utf8');
    const written = withExcerpts(text);
    if (written !== text) writeFileSync(join(root, path), written);
  }
