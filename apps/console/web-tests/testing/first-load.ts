import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Chunks that a page loads only after it has rendered. */
const lazyChunks = new Set([
  'src/ui/day-range-input.tsx',
  'src/rooms/developers/credentials/linking.tsx',
  'src/rooms/developers/credentials/new-api-key.tsx',
  'src/rooms/developers/credentials/replace-identity-secret.tsx',
  'src/rooms/home/plots.tsx',
  'src/rooms/customers/members/merge-dialog.tsx',
  'src/rooms/customers/orders/correction-dialog.tsx',
  'src/rooms/program/rule-editor.tsx',
  'src/rooms/program/simulation.tsx',
  'src/rooms/customers/referrals/move-dialog.tsx',
  'src/rooms/developers/webhooks/certify-report.tsx',
  'src/rooms/developers/webhooks/new-replay.tsx',
]);

interface Chunk {
  file: string;
  imports?: string[];
  isDynamicEntry?: boolean;
}

/**
 * The gzipped bytes of script that the first load of each page takes: the entry, the texts of a language and the page.
 * The largest comes first.
 */
export function firstLoadBytes(pageFolder: string, language: string): [page: string, bytes: number][] {
  const text = readFileSync(join(pageFolder, '.vite/manifest.json'), 'utf8');
  const manifest = JSON.parse(text) as Record<string, Chunk>;
  const bytesOf = (...entries: string[]) => {
    const files = new Set<string>();
    const add = (key: string): void => {
      const chunk = manifest[key];
      if (!chunk) throw new Error(`${key} is not in the manifest`);
      if (files.has(chunk.file)) return;
      files.add(chunk.file);
      chunk.imports?.forEach(add);
    };
    entries.forEach(add);
    const scripts = [...files].filter((file) => file.endsWith('.js'));
    return scripts.reduce((sum, file) => sum + gzipSync(readFileSync(join(pageFolder, file))).length, 0);
  };
  const always = ['index.html', `src/i18n/${language}/index.ts`];
  const pages = Object.keys(manifest).filter(
    (key) => manifest[key]?.isDynamicEntry && key.startsWith('src/rooms/') && !lazyChunks.has(key),
  );
  const sizes = ['index.html', ...pages].map((page): [string, number] => [page, bytesOf(...always, page)]);
  return sizes.toSorted(([, one], [, other]) => other - one);
}
