import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';
import { projectFile } from '../settings/deployment-files.ts';

/**
 * Does what the Dockerfile does, without a container engine: its RUN commands in a copy of the build context, then its COPY
 * commands into `folder`, which is then the `/app` of the image. Only `npm ci` is replaced, by the installed packages.
 */
export function buildImage(folder: string): void {
  const build = `${folder}-build`;
  copyContext(build);
  linkPackages(build);
  for (const command of commandsOf('RUN').filter((text) => !text.includes('npm ci'))) {
    execFileSync('sh', ['-ec', command], { cwd: build, stdio: 'pipe' });
  }
  for (const command of commandsOf('COPY').filter((text) => text.startsWith('--from=build '))) {
    const [, from = '', to = ''] = command.split(' ');
    const target = join(folder, to);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(
      join(build, from.replace('/app/', '')),
      target.endsWith('/') ? join(folder, 'package.json') : target,
      {
        recursive: true,
        verbatimSymlinks: true,
      },
    );
  }
  rmSync(build, { recursive: true });
  chmodSync(folder, 0o755);
}

/** The entry point of the image. */
export function imageEntrypoint(): string[] {
  return JSON.parse(commandsOf('ENTRYPOINT')[0] ?? '[]') as string[];
}

/** The arguments of an instruction of the Dockerfile, continued lines joined. */
function commandsOf(instruction: string): string[] {
  const text = projectFile('Dockerfile').replaceAll('\\\n', ' ');
  return [...text.matchAll(new RegExp(`^${instruction} (.+)$`, 'gm'))].map(([, command]) => command ?? '');
}

/** The files of the repository that .dockerignore does not leave out. */
function copyContext(build: string): void {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: projectRoot,
    encoding: 'utf8',
  });
  const ignored = projectFile('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replace(/^\*\*\//, ''));
  const kept = listed
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(projectRoot, path)))
    .filter((path) => !ignored.some((name) => path === name || path.startsWith(`${name}/`)))
    .filter((path) => !/^[^/]*\.md$/.test(path) || path === 'CHANGELOG.md');
  for (const path of kept) cpSync(join(projectRoot, path), join(build, path));
}

/** The installed packages as hard links, which take no space and no time: as if `npm ci` had run in the folder. */
export function linkPackages(build: string): void {
  const workspaces = ['apps', 'packages'].flatMap((group) =>
    readdirSync(join(projectRoot, group)).map((name) => `${group}/${name}`),
  );
  for (const workspace of ['.', ...workspaces]) {
    const from = join(projectRoot, workspace, 'node_modules');
    if (existsSync(from)) execFileSync('cp', ['-al', from, join(build, workspace, 'node_modules')]);
  }
  // What our tests keep beside the packages: `npm ci` does not install it.
  rmSync(join(build, 'node_modules/.cache'), { recursive: true, force: true });
  // npm changes this file: not the original through its link.
  const state = 'node_modules/.package-lock.json';
  rmSync(join(build, state), { force: true });
  if (existsSync(join(projectRoot, state))) cpSync(join(projectRoot, state), join(build, state));
}
