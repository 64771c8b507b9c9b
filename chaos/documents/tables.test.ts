import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/local-stack';
import { checks } from '../checks/check-history.ts';
import { defects } from '../defects/defects.ts';
import { scenarios } from '../scenarios/scenarios.ts';
import { withTables } from './tables.ts';

/** Without what prettier changes in a table. */
const plain = (text: string) => text.replaceAll(/-{3,}/g, '---').replaceAll(/ +/g, ' ');

test('docs/reliability.md has the scenarios, checks and defects of the code: npm run docs:reliability', () => {
  const document = readFileSync(join(projectRoot, 'docs/reliability.md'), 'utf8');
  expect(plain(document)).toBe(plain(withTables(document)));
});

describe('The guarantees of docs/architecture.md', () => {
  const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8');
  const between = (text: string, from: string, to: string) =>
    text.slice(text.indexOf(from), text.indexOf(to));
  const table = between(read('docs/reliability.md'), '## The guarantees', '## Scenarios');

  test('stand in docs/reliability.md, each with what shows it', () => {
    const text = between(read('docs/architecture.md'), '## Guarantees', '## Fairness');
    const named = Array.from(text.matchAll(/^\d+\. \*\*(.+?)\.?\*\*/gm), ([, name]) => name);
    const shown = Array.from(table.matchAll(/^\| \d+\. (.+?) +\| `/gm), ([, name]) => name);
    expect(named.length).toBeGreaterThan(5);
    expect(shown).toEqual(named.map((name) => name?.split('**')[0]));
  });

  test('are shown by scenarios, checks, defects and files that exist', () => {
    const own = scenarios.flatMap(({ ownChecks = [] }) => ownChecks);
    const known = new Set([...scenarios, ...checks, ...own, ...defects].map(({ name }) => name));
    const names = Array.from(table.matchAll(/`([^`]+)`/g), ([, name = '']) => name);
    const unknown = names.filter((name) =>
      name.includes('/') ? !existsSync(join(projectRoot, name)) : name !== 'fsync' && !known.has(name),
    );
    expect(unknown).toEqual([]);
  });
});
