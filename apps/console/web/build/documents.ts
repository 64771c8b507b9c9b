import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { readDocument } from './read-document.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** Compiles the Markdown documents that the page imports. */
export function documents(): Plugin {
  return {
    name: 'documents',
    enforce: 'pre',
    load: (id) => {
      if (!id.endsWith('.md')) return undefined;
      const path = relative(root, id).replaceAll('\\', '/');
      const document = readDocument(path, (file) => readFileSync(join(root, file), 'utf8'));
      return `export default ${JSON.stringify(document)};`;
    },
  };
}
