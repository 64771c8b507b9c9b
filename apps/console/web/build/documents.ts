import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { readDocument } from './read-document.ts';
import { readReference, referencePath } from './read-reference.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const readFile = (path: string) => readFileSync(join(root, path), 'utf8');
const reference = /^virtual:api-reference\/(en|ko)$/;

/** Compiles the documents that the page imports: Markdown files, and the API reference in a language. */
export function documents(): Plugin {
  return {
    name: 'documents',
    enforce: 'pre',
    resolveId: (id) => (reference.test(id) ? id : undefined),
    load(id) {
      const [, language] = reference.exec(id) ?? [];
      if (language) this.addWatchFile(join(root, referencePath));
      else if (!id.endsWith('.md')) return undefined;
      const document = language
        ? readReference(readFile, language as 'en' | 'ko')
        : readDocument(relative(root, id).replaceAll('\\', '/'), readFile);
      return `export default ${JSON.stringify(document)};`;
    },
  };
}
