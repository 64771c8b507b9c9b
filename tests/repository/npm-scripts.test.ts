import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { projectRoot, temporaryFolder } from '@rewardhook/testing';
import { projectFile } from '../settings/deployment-files.ts';

const apps = readdirSync(join(projectRoot, 'apps'));

describe('An npm script', () => {
  it.each(apps)('`npm start -w apps/%s` runs what the image runs', (app) => {
    const { scripts } = JSON.parse(projectFile(`apps/${app}/package.json`)) as { scripts: { start: string } };
    const [, inImage = ''] = /exec (node .*main\.js)"/.exec(projectFile('ops/image/rewardhook')) ?? [];
    expect(scripts.start).toBe(inImage.replace('"apps/$command/', ''));
  });

  it.each(['admin', 'studio'])(
    '`npm run %s` of a checkout without its packages says `npm ci`, and installs nothing',
    (name) => {
      const checkout = temporaryFolder();
      try {
        for (const path of ['scripts', 'package.json', 'package-lock.json'])
          cpSync(join(projectRoot, path), join(checkout.path, path), { recursive: true });
        for (const path of ['apps', 'packages']) mkdirSync(join(checkout.path, path));
        const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/run.mjs', name], {
          cwd: checkout.path,
          encoding: 'utf8',
        });
        expect([status, stdout]).toEqual([1, '']);
        expect(stderr.trim()).toBe('The packages of this checkout are not installed. Run: npm ci');
        expect(existsSync(join(checkout.path, 'node_modules'))).toBe(false);
      } finally {
        checkout.remove();
      }
    },
  );

  it.each(['demo', 'dev', 'stack'])(
    '`npm run %s` refuses an option that it does not know before it installs anything',
    (name) => {
      const checkout = temporaryFolder();
      try {
        cpSync(join(projectRoot, 'scripts'), join(checkout.path, 'scripts'), { recursive: true });
        const { status, stdout, stderr } = spawnSync(
          process.execPath,
          ['scripts/run.mjs', name, '--nonsense'],
          { cwd: checkout.path, encoding: 'utf8' },
        );
        expect([status, stdout]).toEqual([2, '']);
        expect(stderr.trim()).toContain(`Unknown option '--nonsense'. The options of npm run ${name}: --`);
      } finally {
        checkout.remove();
      }
    },
  );

  it('`node scripts/run.mjs admin` takes options without `--`, which Windows PowerShell removes from those of npm', () => {
    const run = (...args: string[]) =>
      spawnSync(process.execPath, ['scripts/run.mjs', 'admin', ...args], {
        cwd: projectRoot,
        encoding: 'utf8',
      });
    const help = run('merchant', 'create', '--help');
    expect(help.status).toBe(0);
    expect(help.stderr).toContain('--name');
    const refused = run('merchant', 'create', '--nmae', 'Tea shop');
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain('--nmae');
  });

  it.each(['stack', 'dev', 'demo'])(
    '`npm run %s` with NODE_ENV=production says at once that it needs it unset',
    (name) => {
      const { status, stderr } = spawnSync(process.execPath, ['scripts/run.mjs', name], {
        cwd: projectRoot,
        encoding: 'utf8',
        env: { ...process.env, NODE_ENV: 'production' },
      });
      expect(stderr).toContain(`NODE_ENV=production: npm run ${name} needs it unset.`);
      expect(status).toBe(1);
    },
  );
});

it('A run of the tests ends with its slowest files', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['node_modules/jest/bin/jest.js', '--config', 'jest.unit.config.ts', 'packages/contract/src/identifiers'],
    { cwd: projectRoot, encoding: 'utf8' },
  );
  expect(status).toBe(0);
  const [, slowest = ''] = stderr.split('Slowest files:\n');
  expect(slowest).toMatch(/^ +\d+\.\d s {2}packages\/contract\/src\/identifiers\/\S+\.test\.ts$/m);
});

it('The long tests run the property tests of the others with all of their cases', () => {
  const { status, stdout } = spawnSync(
    process.execPath,
    ['node_modules/jest/bin/jest.js', '--config', 'jest.e2e.config.ts', '--listTests'],
    { cwd: projectRoot, encoding: 'utf8' },
  );
  expect(status).toBe(0);
  const listed = stdout.split('\n').filter((file) => file !== '' && !file.endsWith('.e2e.test.ts'));
  const files = listed.map((file) => relative(projectRoot, file));
  const { stdout: using } = spawnSync(
    'git',
    ['grep', '-l', "^import .* from 'fast-check'", '--', '*.test.ts'],
    {
      cwd: projectRoot,
      encoding: 'utf8',
    },
  );
  const withProperties = using.split('\n').filter((file) => file !== '' && !file.endsWith('.e2e.test.ts'));
  expect(withProperties.length).toBeGreaterThan(10);
  expect(files.toSorted()).toEqual(withProperties.toSorted());
  for (const file of files)
    expect([file, projectFile(file).match(/numRuns: \d|fc\.sample\(\w+, \d/g)]).toEqual([file, null]);
});
