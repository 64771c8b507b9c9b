import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';

/** The TypeScript and SQL files of the product, with their texts. */
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'apps', 'packages', 'prisma'], {
  cwd: projectRoot,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /\.(?:tsx?|sql)$/.test(path))
  .flatMap((path) => {
    try {
      return [{ path, text: readFileSync(join(projectRoot, path), 'utf8') }];
    } catch {
      // Removed, and still in the index.
      return [];
    }
  });

describe('The stored terms of a program', () => {
  it('are looked into by no SQL', () => {
    const operator = /\bterms"?\s*(?:->|#>|#-|@>|<@|@\?|@@|\?[|&]?\s*')|jsonb_\w+\(\s*(?:\w+\.)?"?terms\b/;
    expect(files.filter(({ text }) => operator.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('have their type in readTerms only', () => {
    const program = 'packages/rewards/src/program.ts';
    expect(files.filter(({ text }) => text.includes('StoredTerms')).map(({ path }) => path)).toEqual([
      program,
    ]);
    const text = files.find(({ path }) => path === program)?.text ?? '';
    const reader = /export function readTerms.*?\n\}/s.exec(text)?.[0] ?? '';
    expect(reader).toContain('as StoredTerms');
    expect(text.split('as StoredTerms')).toHaveLength(2);
    const casts = files.filter(({ text: one }) => /\bterms as (?:unknown as )?[A-Z][a-z]/.test(one));
    expect(casts.map(({ path }) => path)).toEqual([]);
  });
});
