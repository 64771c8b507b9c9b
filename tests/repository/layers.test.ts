import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRoot, temporaryFolder } from '@rewardhook/testing';

jest.setTimeout(60_000);

interface Cruise {
  modules: { source: string; dependencies: { module: string; resolved: string }[] }[];
  summary: { violations: { rule: { name: string }; from: string; to: string }[] };
}

/** Runs dependency-cruiser with the rules of the project on the folders of a folder that have code of ours. */
function runDependencyCruiser(folder: string): Cruise {
  const program = join(projectRoot, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const config = join(projectRoot, '.dependency-cruiser.cjs');
  const args = [program, '--config', config, '--output-type', 'json', 'apps', 'packages', 'tests', 'chaos'];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Cruise;
}

const violationsOf = ({ summary }: Cruise) =>
  summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);

/** A line that breaks a rule, and the folder above the `src` in which it does. */
const breaches: [rule: string, folder: string, line: string][] = [
  ['lowest-layer-imports-no-workspace', 'packages/contract', "import '../../rewards/src/index.ts';"],
  ['rewards-imports-contract-only', 'packages/rewards', "import '../../pipeline/src/index.ts';"],
  ['middle-layer-imports-the-lowest', 'packages/database', "import '../../pipeline/src/index.ts';"],
  ['no-app-imports-another', 'apps/api', "import '../../sync/src/index.ts';"],
  ['production-imports-no-test-support', 'apps/api', "import '../../../packages/testing/src/index.ts';"],
  ['local-stack-imports-contract-only', 'packages/local-stack', "import '../../testing/src/index.ts';"],
  ['one-public-entry', 'apps/api', "import '../../../packages/database/src/orders.ts';"],
  ['no-path-into-another-workspace', 'apps/api', "import '../../../packages/database/src/index.ts';"],
  ['chaos-is-independent', 'chaos', "import type { Order } from '../../packages/rewards/src/index.ts';"],
  ['nothing-imports-chaos', 'tests/flow', "import '../../../chaos/main.ts';"],
  ['declared-dependencies', 'apps/api', "export const lazy = () => import('joi');"],
  ['resolvable', 'apps/api', "import './missing.ts';"],
  ['queues-in-pipeline', 'apps/sync', "import type { Queue } from 'bullmq';"],
  ['bull-board-in-dashboard', 'apps/sync', "export * from '@bull-board/api';"],
  ['sql-in-database', 'apps/sync', "export type { Client } from 'pg';"],
  [
    'sql-in-database',
    'apps/console',
    "export const p = <p>{/* a .tsx file */}</p>; import type { Pool } from 'pg';",
  ],
  ['workers-without-prisma-client', 'apps/sync', "import '../../../packages/database/src/index.ts';"],
  ['prisma-client-in-one-file', 'packages/database', "import './generated/client.ts';"],
  ['no-circular', 'apps/sync', "import type { Circular } from './circular.ts';"],
];

describe('The import rules', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  };
  const fileOf = ([, workspace, line]: (typeof breaches)[number], index: number) =>
    `${workspace}/src/breach-${index}.${line.includes('<p>') ? 'tsx' : 'ts'}`;
  let violations: string[];
  beforeAll(() => {
    for (const name of ['rewards', 'pipeline', 'testing', 'database'])
      write(`packages/${name}/src/index.ts`, 'export {};');
    write('packages/database/src/orders.ts', "import './client/prisma.ts';");
    write('packages/database/src/stages.ts', "import './orders.ts';");
    write('packages/database/src/client/prisma.ts', 'export {};');
    write('packages/database/src/generated/client.ts', 'export {};');
    write('apps/sync/src/index.ts', 'export {};');
    write('chaos/main.ts', 'export {};');
    write('package.json', '{ "private": true }');
    symlinkSync(join(projectRoot, 'node_modules'), join(folder.path, 'node_modules'));
    breaches.forEach((breach, index) => write(fileOf(breach, index), breach[2]));
    const circular = breaches.findIndex(([rule]) => rule === 'no-circular');
    write('apps/sync/src/circular.ts', `import type { Breach } from './breach-${circular}.ts';`);
    violations = violationsOf(runDependencyCruiser(folder.path));
  });

  it.each(breaches.map((breach, index) => [...breach, fileOf(breach, index)]))(
    '%s is broken by an import in %s: %s',
    (rule, _workspace, _line, file) => {
      expect(violations.filter((one) => one.startsWith(`${rule}: ${file} →`))).toHaveLength(1);
    },
  );

  it('stages-without-prisma-client is broken by an import that leads to the client through another file', () => {
    const database = 'packages/database/src';
    expect(violations).toContain(
      `stages-without-prisma-client: ${database}/stages.ts → ${database}/client/prisma.ts`,
    );
  });
});

interface Manifest {
  name: string;
  exports?: Record<string, unknown>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

describe('The sources of apps and packages', () => {
  const result = runDependencyCruiser(projectRoot);
  const paths = result.modules
    .map(({ source }) => source)
    .filter((path) => /^(apps|packages)\/(?!.*\/generated\/)/.test(path));
  const isTest = (path: string) => /\.test\.tsx?$|\/(fixtures|testing|web-tests)\//.test(path);
  const workspaces = ['apps', 'packages'].flatMap((group) =>
    readdirSync(join(projectRoot, group)).map((name) => `${group}/${name}`),
  );
  const manifests = new Map(
    workspaces.map((path) => [
      path,
      JSON.parse(readFileSync(join(projectRoot, path, 'package.json'), 'utf8')) as Manifest,
    ]),
  );
  const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');

  it('follow the import rules', () => {
    expect(paths.length).toBeGreaterThan(300);
    expect(violationsOf(result)).toEqual([]);
  });

  it("import types only of Prisma's client where it is not loaded", () => {
    const client = read('packages/database/src/client/client.ts');
    const imports = client.split('\n').filter((line) => line.includes('/generated/'));
    expect(imports).toEqual([expect.stringMatching(/^import type /)]);
  });

  it('import exactly the workspaces that their package.json declares', () => {
    const wrong = [...manifests].flatMap(([workspace, manifest]) => {
      // The command line is published as a bundle, which contains what it imports.
      const isBundled = workspace === 'packages/cli';
      const { dependencies = {} } = isBundled ? { dependencies: manifest.devDependencies } : manifest;
      const own = result.modules.filter(({ source }) => source.startsWith(`${workspace}/`));
      const imported = (modules: typeof own) =>
        modules.flatMap(({ dependencies: all }) =>
          all.map(({ module }) => module.split('/').slice(0, 2).join('/')),
        );
      const used = new Set(imported(own));
      const inProduction = imported(own.filter(({ source }) => !isTest(source)));
      const undeclared = inProduction.filter(
        (name) => name.startsWith('@rewardhook/') && !(name in dependencies),
      );
      const unused = Object.keys(dependencies).filter(
        (name) => name.startsWith('@rewardhook/') && !used.has(name),
      );
      return [
        ...undeclared.map((name) => `${workspace} does not declare ${name}`),
        ...unused.map((name) => `${workspace} declares ${name} and does not import it`),
      ];
    });
    expect([...new Set(wrong)]).toEqual([]);
  });

  it('are imported through one public entry for each package', () => {
    // What merchants install has entries for their frameworks; no other package imports those.
    const more: Record<string, string[]> = {
      'packages/verify': ['./edge', './express', './fastify', './next'],
      'packages/browser-sdk': ['./react'],
      'packages/webhook': ['./ssrf-cases.json'],
      // The workers do not load Prisma's client.
      'packages/database': ['./stages', './operations'],
      // A page does not load Joi.
      'packages/contract': ['./problems', './rights'],
      // Each test file loads what it imports again.
      'packages/local-stack': ['./fixtures'],
      'packages/testing': ['./servers', './answers', './mail', './hostile-receiver', './property-cases'],
    };
    for (const [workspace, { exports = {} }] of manifests)
      if (workspace.startsWith('packages/'))
        expect([workspace, Object.keys(exports)]).toEqual([workspace, ['.', ...(more[workspace] ?? [])]]);
  });

  it('read process.env in environment.ts only', () => {
    const allowed = /\/environment\.ts$|^packages\/(local-stack|testing)\//;
    const readers = paths
      .filter((path) => path.endsWith('.ts') && !isTest(path) && !allowed.test(path))
      .filter((path) => /process\.env\b|\{[^}]*\benv\b[^}]*\} = process\b/.test(read(path)));
    expect(readers).toEqual([]);
  });

  it('hold no skipped, exclusive or empty test, and no note of work to be done', () => {
    const marks = /\bTOD[O]\b|\bFIXM[E]\b|\b(?:it|test|describe)\.(?:ski[p]|onl[y]|tod[o])\b/;
    expect(paths.filter((path) => marks.test(read(path)))).toEqual([]);
  });
});
