import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { projectRoot } from '@rewardhook/testing';

/** design.md, "Layout": imports go down the floors only. */
const floors: Record<string, number> = {
  'packages/contract': 0,
  'packages/process': 0,
  'packages/browser-sdk': 0,
  'packages/rewards': 0,
  'packages/pipeline': 1,
  'packages/database': 1,
  'packages/webhook': 1,
  'packages/mail': 1,
  'packages/testing': 2,
};
const appFloor = 3;

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}
interface Source {
  /** From the root of the project. */
  path: string;
  workspace: string;
  text: string;
  imports: string[];
  isTest: boolean;
}

const workspaces = ['apps', 'packages'].flatMap((folder) =>
  readdirSync(join(projectRoot, folder))
    .map((name) => `${folder}/${name}`)
    .filter((path) => existsSync(join(projectRoot, path, 'package.json'))),
);
const manifests = new Map(workspaces.map((path) => [path, readManifest(path)]));
const pathOfName = new Map([...manifests].map(([path, { name }]) => [name, path]));
const sources = workspaces.flatMap(readSources);
const production = sources.filter(({ isTest }) => !isTest);

function readManifest(workspace: string): Manifest {
  return JSON.parse(readFileSync(join(projectRoot, workspace, 'package.json'), 'utf8')) as Manifest;
}

function readSources(workspace: string): Source[] {
  return readdirSync(join(projectRoot, workspace), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map((entry) => relative(projectRoot, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !/\/(dist|node_modules|generated)\//.test(path))
    .map((path) => {
      const text = readFileSync(join(projectRoot, path), 'utf8');
      const isTest = /\.test\.tsx?$|\/(fixtures|testing)\//.test(path.slice(workspace.length));
      return { path, workspace, text, imports: importsOf(text), isTest };
    });
}

/** Every module that is imported: statically, dynamically, by require or by re-export. */
function importsOf(text: string): string[] {
  const forms =
    /(?:^|[\n;])\s*(?:import|export)\s[^;'"]*?from\s*['"]([^'"]+)['"]|(?:^|[\n;])\s*import\s*['"]([^'"]+)['"]|\b(?:import|require|require\.resolve)\(\s*['"]([^'"]+)['"]/g;
  return [...text.matchAll(forms)].flatMap(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? []);
}

const floorOf = (workspace: string) => floors[workspace] ?? (workspace.startsWith('apps/') ? appFloor : NaN);
const packageOf = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** `path: module` of each import that breaks a rule. */
function offences(of: Source[], breaks: (specifier: string, source: Source) => boolean): string[] {
  return of.flatMap((source) =>
    source.imports.filter((one) => breaks(one, source)).map((one) => `${source.path}: ${one}`),
  );
}

describe('the floors', () => {
  it('reads imports in all their forms', () => {
    const text = [
      `import a from 'one';`,
      `import {\n  b,\n  c,\n} from "two/sub";`,
      `import type { D } from '@three/d';`,
      `import 'four';`,
      `export * from 'five';`,
      `const six = await import('six');`,
      `const seven = require('seven');`,
      `const text = "imported from 'nowhere'";`,
    ].join('\n');
    expect(importsOf(text)).toEqual(['one', 'two/sub', '@three/d', 'four', 'five', 'six', 'seven']);
    expect(sources.length).toBeGreaterThan(80);
    expect(sources.flatMap(({ imports }) => imports).length).toBeGreaterThan(300);
  });

  it('gives every workspace a floor', () => {
    expect(workspaces.filter((workspace) => Number.isNaN(floorOf(workspace)))).toEqual([]);
  });

  it('lets imports of workspaces go down only, never to the same floor and never from app to app', () => {
    const wrong = offences(production, (specifier, { workspace }) => {
      const target = pathOfName.get(packageOf(specifier));
      return target !== undefined && !(floorOf(target) < floorOf(workspace));
    });
    expect(wrong).toEqual([]);
  });

  it('lets no production code import packages/testing', () => {
    const wrong = offences(
      production.filter(({ workspace }) => workspace !== 'packages/testing'),
      (specifier) => packageOf(specifier) === '@rewardhook/testing',
    );
    expect(wrong).toEqual([]);
  });

  it('lets no import reach into another workspace by its path', () => {
    const wrong = offences(production, (specifier, { path, workspace }) => {
      if (!specifier.startsWith('.')) return false;
      const target = resolve(projectRoot, dirname(path), specifier);
      return !target.startsWith(join(projectRoot, workspace) + sep);
    });
    expect(wrong).toEqual([]);
    expect(offences(production, (specifier) => /^@rewardhook\/[^/]+\/./.test(specifier))).toEqual([]);
  });

  it('wants every import to be declared in the package.json of its workspace', () => {
    const wrong = offences(production, (specifier, { workspace }) => {
      if (specifier.startsWith('.') || specifier.startsWith('node:')) return false;
      const { dependencies, devDependencies } = manifests.get(workspace) as Manifest;
      // Type packages and dev tools count too: a browser bundle has no other dependencies.
      return !(packageOf(specifier) in { ...dependencies, ...devDependencies });
    });
    expect(wrong).toEqual([]);
  });

  it('wants nothing declared of ours that goes up, and nothing that is not used', () => {
    const wrong = [...manifests].flatMap(([workspace, { dependencies = {} }]) =>
      Object.keys(dependencies)
        .filter((name) => pathOfName.has(name))
        .filter((name) => {
          const used = sources.some(
            (source) =>
              source.workspace === workspace && source.imports.some((one) => packageOf(one) === name),
          );
          return !used || !(floorOf(pathOfName.get(name) as string) < floorOf(workspace));
        })
        .map((name) => `${workspace}: ${name}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe('who may touch what', () => {
  const outside = (...allowed: string[]) =>
    production.filter(({ path }) => !allowed.some((prefix) => path.startsWith(prefix)));

  it('knows BullMQ and ioredis in packages/pipeline only (the dashboard shows its queues)', () => {
    const queueing = new Set([
      'bullmq',
      'ioredis',
      '@bull-board/api',
      '@bull-board/express',
      '@bull-board/ui',
    ]);
    const wrong = offences(outside('packages/pipeline/'), (specifier, { workspace }) => {
      const board = packageOf(specifier).startsWith('@bull-board/');
      return queueing.has(packageOf(specifier)) && !(board && workspace === 'apps/dashboard');
    });
    expect(wrong).toEqual([]);
  });

  it('knows Prisma and pg in packages/database and packages/testing only', () => {
    const wrong = offences(
      outside('packages/database/', 'packages/testing/'),
      (specifier) => /^(@prisma\/|prisma$|pg$)/.test(specifier) || specifier.includes('/generated/'),
    );
    expect(wrong).toEqual([]);
  });

  it('reads process.env in environment.ts files only', () => {
    const wrong = outside('packages/testing/', 'packages/database/src/migrate-main.ts')
      .filter(
        ({ path, text }) =>
          /process\.env\b|\{[^}]*\benv\b[^}]*\} = process\b/.test(text) && !path.endsWith('/environment.ts'),
      )
      .map(({ path }) => path);
    expect(wrong).toEqual([]);
  });

  it('keeps no TODO, no skipped and no exclusive test', () => {
    const marks = new RegExp(
      ['\\bTO', 'DO\\b|\\bFIX', 'ME\\b|\\b(?:it|test|describe)\\.(?:sk', 'ip|on', 'ly|to', 'do)\\b'].join(''),
    );
    expect(sources.filter(({ text }) => marks.test(text)).map(({ path }) => path)).toEqual([]);
  });
});

describe('the length of source files', () => {
  const lengths = production
    .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
    .toSorted((a, b) => a.lines - b.lines);

  it('has a median of 60 lines or fewer', () => {
    expect(lengths[Math.floor(lengths.length / 2)]?.lines).toBeLessThanOrEqual(60);
  });

  it('is 200 lines at most', () => {
    expect(lengths.filter(({ lines }) => lines > 200)).toEqual([]);
  });
});
