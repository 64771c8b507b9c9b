import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot, temporaryFolder } from '@rewardhook/testing';
import { parse } from 'yaml';
import { projectFile } from '../settings/deployment-files.ts';

interface Job {
  permissions?: Record<string, string>;
  strategy?: {
    matrix: {
      node?: string[];
      part?: string[];
      include?: { node: string; part: string }[];
      command?: string[];
    };
  };
  steps: { run?: string; uses?: string; if?: string; with?: Record<string, unknown> }[];
}

interface Workflow {
  on: { schedule?: { cron: string }[] };
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
}

const { scripts } = JSON.parse(projectFile('package.json')) as { scripts: Record<string, string> };
const files = readdirSync(join(projectRoot, '.github/workflows'));
const workflows = new Map(
  files.map((name) => [name, parse(projectFile(`.github/workflows/${name}`)) as Workflow]),
);
const matrix = workflows.get('ci.yml')?.jobs['part']?.strategy?.matrix;
const parts = [...(matrix?.part ?? []), ...(matrix?.include ?? []).map(({ part }) => part)];
const manifestOf = (name: string) =>
  JSON.parse(projectFile(`packages/${name}/package.json`)) as { name: string; private?: boolean };

describe('The workflows', () => {
  const jobs = [...workflows].flatMap(([file, { jobs: ofFile }]) =>
    Object.entries(ofFile).map(([name, job]): [string, Job] => [`${file} ${name}`, job]),
  );

  it.each(jobs)('%s runs npm and pinned actions only', (_name, { steps }) => {
    for (const { run, uses } of steps) {
      if (uses !== undefined) expect(uses).toMatch(/^(actions|docker)\/[\w-]+@(v\d+|[0-9a-f]{40})$/);
      else expect(run).toMatch(/^npm (ci$|run |publish )/);
      const [, script] = /^npm run (?:-s )?(\S+)$/.exec(run?.split(' > ')[0] ?? '') ?? [];
      if (script !== undefined && !script.includes('$')) expect(Object.keys(scripts)).toContain(script);
    }
  });

  it('have a token that only reads the repository, but for what a job publishes', () => {
    for (const { permissions } of workflows.values()) expect(permissions).toEqual({ contents: 'read' });
    const more = jobs.filter(([, { permissions }]) => permissions).map(([name]) => name);
    expect(more.toSorted()).toEqual(['release.yml image', 'release.yml packages']);
  });

  it('run the parts of .ci/run, each once, and the tests on every Node.js that is supported', () => {
    const declared = Object.keys(scripts).flatMap((name) => /^ci:(.+)$/.exec(name)?.[1] ?? []);
    const everyDay = declared.filter((part) => part !== 'advisories').toSorted();
    const run = new Set(Array.from(projectFile('.ci/run').matchAll(/\bci:([\w-]+)/g), ([, part]) => part));
    expect([...run].toSorted()).toEqual(everyDay);
    expect(parts.toSorted()).toEqual(everyDay);
    expect(matrix?.node).toEqual(['20', '22', '24']);
    expect(projectFile('Dockerfile')).toContain('FROM node:24.');
  });

  it('run the whole self-test, ten minutes of chaos and 100,000 generated requests every night, with new seeds', () => {
    const { on, jobs: ofNight } = workflows.get('nightly.yml') ?? {};
    const { strategy, steps = [] } = ofNight?.['part'] ?? {};
    expect(on?.schedule?.[0]?.cron).toMatch(/^\d+ \d+ \* \* \*$/);
    // Without --seed it is derived from the time.
    expect(strategy?.matrix.command).toEqual([
      'chaos -- --self-test',
      'chaos -- --minutes 10',
      'fuzz -- --requests 100000',
    ]);
    expect(steps.map(({ run }) => run)).toContain('npm run ${{ matrix.command }}');
    expect(scripts).toMatchObject({
      chaos: 'node scripts/run.mjs chaos',
      fuzz: 'node scripts/run.mjs fuzz',
    });
  });

  it('keep the ledger of a chaos run that failed at night', () => {
    const kept = workflows.get('nightly.yml')?.jobs['part']?.steps.at(-1);
    expect(kept).toMatchObject({ uses: expect.stringMatching(/upload-artifact/) as string, if: 'failure()' });
    // A folder whose name begins with a dot is left out otherwise.
    expect(kept?.with).toMatchObject({ 'include-hidden-files': true });
    expect(String(kept?.with?.['path']).trim().split('\n')).toEqual([
      '.local/chaos',
      '.local/chaos-self-test/run',
      '.local/fuzz',
    ]);
  });

  it('publish every package that is not private', () => {
    const published = readdirSync(join(projectRoot, 'packages'))
      .map(manifestOf)
      .filter((manifest) => !manifest.private)
      .map(({ name }) => name);
    const run = workflows
      .get('release.yml')
      ?.jobs['packages']?.steps.find((step) => step.run?.startsWith('npm publish'))?.run;
    expect([...(run?.matchAll(/-w (\S+)/g) ?? [])].map(([, name]) => name).toSorted()).toEqual(
      published.toSorted(),
    );
  });
});

describe('Dependabot', () => {
  const { updates } = parse(projectFile('.github/dependabot.yml')) as {
    updates: {
      groups?: Record<string, { patterns: string[] }>;
      ignore?: { 'dependency-name': string; 'update-types': string[] }[];
    }[];
  };

  it('updates Prisma, Bull Board and OpenTelemetry as a whole each, and holds Prisma at 7', () => {
    const [npm] = updates;
    expect(npm?.groups).toMatchObject({
      prisma: { patterns: ['prisma', '@prisma/*'] },
      'bull-board': { patterns: ['@bull-board/*'] },
      opentelemetry: { patterns: ['@opentelemetry/*'] },
    });
    const held = npm?.ignore?.filter(
      ({ 'update-types': types }) => types[0] === 'version-update:semver-major',
    );
    expect(held?.map((rule) => rule['dependency-name'])).toEqual(['prisma', '@prisma/*', '@types/node']);
  });
});

it('The forms for issues have a name, a description and fields, and lead vulnerabilities elsewhere', () => {
  const folder = '.github/ISSUE_TEMPLATE';
  const [bug, feature] = ['bug.yml', 'feature.yml'].map(
    (name) => parse(projectFile(`${folder}/${name}`)) as object,
  );
  for (const form of [bug, feature])
    expect(form).toMatchObject({
      name: expect.any(String) as string,
      description: expect.any(String) as string,
      body: expect.arrayContaining([expect.objectContaining({ type: 'textarea' })]) as object[],
    });
  expect(projectFile(`${folder}/config.yml`)).toContain('/security/advisories/new');
  expect(existsSync(join(projectRoot, 'SECURITY.md'))).toBe(true);
});

it('The threat model says how often a workflow checks the advisories of dependencies, and that npm audit finds them', () => {
  const workflow = parse(projectFile('.github/workflows/advisories.yml')) as {
    on: { schedule: { cron: string }[] };
    jobs: { advisories: { steps: { run?: string }[] } };
  };
  expect(workflow.on.schedule[0]?.cron).toMatch(/ \* \* 1$/);
  expect(workflow.jobs.advisories.steps.at(-1)?.run).toBe('npm run ci:advisories');
  const said = projectFile('docs/security.md')
    .split('\n- ')
    .find((text) => text.startsWith('**Advisories**'));
  for (const text of ['once a week', '`advisories.yml`', '`npm run ci:advisories`', '`.ci/run`'])
    expect(said).toContain(text);
});

describe('The installation of programs that tests need', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  const log = join(folder.path, 'log');
  for (const name of ['sudo', 'apt-get']) {
    writeFileSync(join(folder.path, name), `#!/bin/sh\necho ${name} "$@" >> ${log}\n`);
    chmodSync(join(folder.path, name), 0o755);
  }
  const install = (ci: string) =>
    spawnSync(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `process.getuid = () => 1000;
        const { ensurePrograms } = await import('./scripts/bootstrap/server-programs.mjs');
        await ensurePrograms(['kubectl']).catch((error) => console.log(error.message));`,
      ],
      { cwd: projectRoot, encoding: 'utf8', env: { PATH: folder.path, CI: ci } },
    );

  it('uses sudo without a password on a CI runner that is not root', () => {
    install('true');
    expect(readFileSync(log, 'utf8')).toContain(
      'sudo -n env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends kubernetes-client',
    );
  });

  it('asks the user of any other machine to install them', () => {
    expect(install('').stdout).toContain('sudo apt-get update && sudo apt-get install -y kubernetes-client');
  });
});
