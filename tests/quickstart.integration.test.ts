import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort, projectRoot, temporaryFolder, waitFor } from '@rewardhook/testing';
import { openConsole } from '../apps/console/testing/open-console.ts';
import { openCleanup, startFlow } from './harness/index.ts';

const quickstart = readFileSync(join(projectRoot, 'docs/quickstart.md'), 'utf8');
const codeIn = (marks: string) =>
  [...quickstart.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)]
    .filter(([, given]) => given === marks)
    .map(([, , code]) => code ?? '');

/** What `npm install` of the quickstart does: instead of tarballs, the sources of the packages are linked. */
function install(folder: string, names: string[]): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@rewardhook'), { recursive: true });
  mkdirSync(join(modules, '.bin'));
  for (const name of names)
    symlinkSync(join(projectRoot, 'packages', name), join(modules, '@rewardhook', name));
  const command = join(modules, '.bin/rewardhook');
  writeFileSync(command, `#!/bin/sh\nexec node ${join(projectRoot, 'packages/cli/src/main.ts')} "$@"\n`);
  chmodSync(command, 0o755);
}

describe('docs/quickstart.md', () => {
  it('leads from the sign-up to the first verified reward in less than a minute', async () => {
    const cleanup = openCleanup();
    try {
      const folder = temporaryFolder();
      cleanup.add(() => folder.remove());
      const flow = await startFlow();
      cleanup.add(() => flow.close());
      const running = await openConsole(flow.environment);
      cleanup.add(() => running.close());
      // Only the port differs, because another program may use it.
      const port = String(await freePort());
      const ofTest = (code: string) => code.replaceAll('8080', port);
      const [installation = '', ...commands] = codeIn('sh').toSorted(
        (one, other) => Number(other.startsWith('npm install')) - Number(one.startsWith('npm install')),
      );
      install(
        folder.path,
        [...installation.matchAll(/rewardhook-([a-z-]+)-\d/g)].map(([, name]) => name ?? ''),
      );

      const start = Date.now();
      const { merchant } = await running.signUp();
      const values: Record<string, string> = {
        REWARDHOOK_BASE_URL: flow.url,
        REWARDHOOK_SECRET_KEY: merchant.secretKey,
        REWARDHOOK_SIGNING_SECRET: merchant.signingSecret,
      };
      const [variables = '', expected = ''] = codeIn('text');
      const file = variables.replaceAll(/^(\w+)=.*$/gm, (_line, name: string) => `${name}=${values[name]}`);
      writeFileSync(join(folder.path, 'rewardhook.env'), file);
      writeFileSync(join(folder.path, 'receiver.mjs'), ofTest(codeIn('js receiver')[0] ?? ''));
      const shell = spawn('bash', ['-euo', 'pipefail', '-c', ofTest(`${commands.join('\n')}\nwait`)], {
        cwd: folder.path,
        // A group of its own, so that the background processes end with it.
        detached: true,
        env: {
          ...process.env,
          NODE_OPTIONS: `--import ${pathToFileURL(require.resolve('tsx')).href} --conditions=source`,
        },
      });
      cleanup.add(async () => {
        if (shell.pid !== undefined && shell.exitCode === null) process.kill(-shell.pid, 'SIGKILL');
      });
      let [output, errors] = ['', ''];
      shell.stdout.on('data', (text: Buffer) => void (output += text.toString()));
      shell.stderr.on('data', (text: Buffer) => void (errors += text.toString()));
      const wanted = expected.trim().split('\n');
      await waitFor(
        async () => {
          if (shell.exitCode !== null) throw new Error(`the commands ended: ${output}${errors}`);
          return wanted.every((line) => output.includes(line));
        },
        { deadlineMs: 60_000, what: `the grants; output: ${output}${errors}` },
      );
      expect(output).toContain('"accepted_count":1');
      expect(Date.now() - start).toBeLessThan(60_000);
    } finally {
      await cleanup.run();
    }
  }, 180_000);
});
