import { readFile, realpath, rename, writeFile } from 'node:fs/promises';
import type { CursorStore } from './event-feed.ts';

/** Stores the cursor of one reader in a file. For one process: readers on several machines need a database. */
export function cursorFile(path: string): CursorStore {
  return {
    async load() {
      try {
        return (await readFile(path, 'utf8')).trim() || undefined;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async store(cursor) {
      // A rename replaces the file at once, so that a crash leaves the old cursor or the new one. A symbolic link stays.
      const file = await realpath(path).catch(() => path);
      await writeFile(`${file}.new`, `${cursor}\n`, { flush: true });
      await rename(`${file}.new`, file);
    },
  };
}
