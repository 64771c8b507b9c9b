import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';

const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8');

/** The packages of others that the workspaces name. */
function installed(): string[] {
  const lock = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { dependencies?: object; devDependencies?: object }>;
  };
  const manifests = Object.entries(lock.packages).filter(([path]) => !path.includes('node_modules/'));
  const names = manifests.flatMap(([, { dependencies, devDependencies }]) =>
    Object.keys({ ...dependencies, ...devDependencies }),
  );
  return [...new Set(names)].filter((name) => !name.startsWith('@rewardhook/')).toSorted();
}

describe('docs/dependencies.md', () => {
  it('has each dependency once, and nothing else', () => {
    const rows = read('docs/dependencies.md').matchAll(/^\| (`.+?) \|/gm);
    const documented = Array.from(rows, ([, cell = '']) =>
      cell.trim().replaceAll('`', '').split(', '),
    ).flat();
    expect(documented.toSorted()).toEqual(installed());
  });

  it('Every version in package.json is exact', () => {
    const files = execFileSync('git', ['ls-files', '*package.json'], { cwd: projectRoot, encoding: 'utf8' });
    const ranges = files
      .trim()
      .split('\n')
      .flatMap((file) => {
        const { dependencies, devDependencies } = JSON.parse(read(file)) as Record<string, object>;
        return Object.entries({ ...dependencies, ...devDependencies }).filter(
          ([name, version]) => !name.startsWith('@rewardhook/') && !/^\d+\.\d+\.\d+/.test(String(version)),
        );
      });
    expect(ranges).toEqual([]);
  });
});
