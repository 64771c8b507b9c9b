import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';
import { linkPackages } from './build-image.ts';

/** What the next release adds to the schema, as the tests of migrations allow it: a column with a default, a table, an index. */
const migration = {
  name: '29990101000000_next_release',
  sql: `ALTER TABLE orders ADD COLUMN next_release_note text NOT NULL DEFAULT '';
CREATE TABLE next_release_notes (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text NOT NULL);
CREATE INDEX next_release_notes_text ON next_release_notes (text);
`,
};

/**
 * Copies the build of this commit to a folder and adds a migration that expands the schema: a stand-in for the next release, until
 * there is an old one.
 */
export function buildNextRelease(folder: string): void {
  const programs = ['apps', 'packages'].flatMap((group) =>
    readdirSync(join(projectRoot, group)).flatMap((name) =>
      ['package.json', 'dist', 'dist-web'].map((part) => `${group}/${name}/${part}`),
    ),
  );
  for (const path of ['package.json', 'prisma', ...programs])
    if (existsSync(join(projectRoot, path)))
      cpSync(join(projectRoot, path), join(folder, path), { recursive: true });
  linkPackages(folder);
  const added = join(folder, 'prisma/migrations', migration.name);
  mkdirSync(added);
  writeFileSync(join(added, 'migration.sql'), migration.sql);
}
