import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';
import { temporaryFolder } from '@rewardhook/testing';

describe('npm run lint', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());

  it('reports regular expressions that backtrack, those that are built from strings, and objects that are used as tables', () => {
    const file = join(folder.path, 'patterns.ts');
    const lines = [
      // An expression that once blocked the console: cubic time in the number of spaces.
      String.raw`export const cubic = /^[\s<>{"']*([\w-]+)["']?\s*:\s*["']?(.*?)["']?,?\s*}?\s*$/;`,
      String.raw`export const quadratic = 'text'.replace(/\/+$/, '');`,
      'export const madeOf = (name: string) => new RegExp(`${name}=`);',
      String.raw`export const linear = /^sha256=[0-9a-f]{64}$/;`,
      'const table: Record<string, number> = { gzip: 1 };',
      'export const inherited = (name: string) => table[name];',
      'const asked: Record<string, number> = { gzip: 1 };',
      'export const own = (name: string) => (Object.hasOwn(asked, name) ? asked[name] : undefined);',
      'export const elsewhere = (name: string) => asked[name];',
      'export const tooLate = (name: string) => asked[name] ?? Object.hasOwn(asked, name);',
      'export const other = (name: string, key: string) => (Object.hasOwn(asked, name) ? asked[key] : undefined);',
      'export function early(name: string) {',
      '  if (!Object.hasOwn(asked, name)) return undefined;',
      '  return asked[name];',
      '}',
    ];
    writeFileSync(file, lines.join('\n'));
    const oxlint = join(projectRoot, 'node_modules/oxlint/bin/oxlint');
    const config = join(projectRoot, '.oxlintrc.json');
    const { stdout } = spawnSync(process.execPath, [oxlint, '-c', config, '--format', 'json', file], {
      encoding: 'utf8',
    });
    const { diagnostics } = JSON.parse(stdout) as {
      diagnostics: { code: string; labels: { span: { line: number } }[] }[];
    };
    const found = diagnostics.map(({ code, labels }) => `${labels[0]?.span.line}: ${code}`);
    const byLine = (one: string, other: string) => Number.parseInt(one, 10) - Number.parseInt(other, 10);
    expect([...new Set(found)].toSorted(byLine)).toEqual([
      '1: regexp(no-super-linear-backtracking)',
      '2: regexp(no-super-linear-move)',
      '3: eslint(no-restricted-globals)',
      ...[6, 9, 10, 11].map((line) => `${line}: lookups(no-plain-object)`),
    ]);
  });
});

it("No line of code is longer than 160 characters, outside of the console's page", () => {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs', '*.cjs', 'prisma/sql/*.sql'], {
    cwd: projectRoot,
    encoding: 'utf8',
  });
  const long = files
    .trim()
    .split('\n')
    .filter((path) => !path.startsWith('apps/console/web/'))
    .flatMap((path) =>
      readFileSync(join(projectRoot, path), 'utf8')
        .split('\n')
        .flatMap((line, index) => (line.length > 160 ? `${path}:${index + 1}` : [])),
    );
  expect(long).toEqual([]);
});
