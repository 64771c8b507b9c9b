import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

interface Chunk {
  file: string;
  imports?: string[];
}

/** The bytes of script, gzipped, that the first load of a page takes: the entry, the texts of a language, and the page. */
export function firstLoadBytes(pageFolder: string, page: string, language: string): number {
  const text = readFileSync(join(pageFolder, '.vite/manifest.json'), 'utf8');
  const manifest = JSON.parse(text) as Record<string, Chunk>;
  const files = new Set<string>();
  const add = (key: string): void => {
    const chunk = manifest[key];
    if (!chunk) throw new Error(`${key} is not in the manifest`);
    if (files.has(chunk.file)) return;
    files.add(chunk.file);
    chunk.imports?.forEach(add);
  };
  [`index.html`, `src/i18n/${language}/index.ts`, `src/pages/${page}`].forEach(add);
  const scripts = [...files].filter((file) => file.endsWith('.js'));
  return scripts.reduce((sum, file) => sum + gzipSync(readFileSync(join(pageFolder, file))).length, 0);
}
