import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';

const guide = readFileSync(join(projectRoot, 'docs/recipes.md'), 'utf8');

/** The recipes by their titles, each with its text. */
const recipes = guide
  .split('\n## ')
  .slice(1)
  .map((text) => [text.slice(0, text.indexOf('\n')), text.replaceAll(/\s+/g, ' ')] as const);

const files = ['apps', 'packages', 'tests'].flatMap((folder) =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
    .map((file) => `${folder}/${file}`),
);

describe('The tests that end a recipe', () => {
  it.each(recipes.filter(([, text]) => text.includes(' Tests: ')))(
    'of "%s" exist, and its commands run them',
    (_title, text) => {
      const tests = text.slice(text.indexOf(' Tests: '));
      for (const [, command = '', paths = ''] of tests.matchAll(
        /`(npx jest|npm run test:e2e --) ([^`]+)`/g,
      )) {
        const run = files.filter((file) => file.endsWith('.e2e.test.ts') === command.startsWith('npm'));
        const missing = paths.split(' ').filter((path) => !run.some((file) => file.includes(path)));
        expect({ command, missing }).toEqual({ command, missing: [] });
      }
    },
  );

  it('are named by each recipe that changes code', () => {
    const without = recipes.filter(([, text]) => !text.includes(' Tests: ')).map(([title]) => title);
    expect(without).toEqual(['A section of the bench']);
  });
});

describe('The files of a recipe', () => {
  /** The files that a recipe names, without texts, documents and tests. */
  const filesOf = (text: string) => {
    const named = text
      .slice(0, text.indexOf(' Tests: '))
      .matchAll(/`((?:apps|packages|prisma)\/[\w./-]+\.\w+)`/g);
    return new Set(
      Array.from(named, ([, path = '']) => path).filter((path) => !/texts?\.ts$|\.test\./.test(path)),
    );
  };

  it.each([
    ['A field of a reward', 8],
    ['A reason to refuse a merge', 5],
    ['A kind of problem', 5],
    ['A check of the rule', 6],
  ])('%s are at most %i', (title, most) => {
    const [, text = ''] = recipes.find(([name]) => name === title) ?? [];
    const named = filesOf(text);
    expect(named.size).toBeGreaterThan(2);
    expect(named.size).toBeLessThanOrEqual(most);
  });
});
