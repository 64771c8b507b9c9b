import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Edit } from './defect.ts';

const functions = 'prisma/sql/functions/';
/** The migration that creates the functions. */
const migration = 'prisma/migrations/20261122000000_initial/migration.sql';

/**
 * The files of a checkout with some edits, by path.
 * @throws when a text does not occur once
 */
export function applyEdits(checkout: string, edits: readonly Edit[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const edit of edits) {
    const files = edit.file.startsWith(functions) ? [edit.file, migration] : [edit.file];
    for (const file of files) {
      const text = texts.get(file) ?? readFileSync(join(checkout, file), 'utf8');
      const parts = text.split(edit.find);
      if (parts.length !== 2)
        throw new Error(`${file} has ${parts.length - 1} times, not once: ${edit.find}`);
      texts.set(file, parts.join(edit.replace));
    }
  }
  return texts;
}
