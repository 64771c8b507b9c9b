import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot, scaled, temporaryFolder } from '@rewardhook/testing';
import { openConsole } from '../apps/console/testing/open-console.ts';
import { followQuickstart, packagesOfQuickstart, quickstart } from './harness/follow-quickstart.ts';
import { openCleanup } from './harness/cleanup.ts';
import { startFlow } from './harness/start-flow.ts';

/** What `npm install` of the quickstart does: instead of tarballs, the sources of the packages are linked. */
function linkPackages(folder: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@rewardhook'), { recursive: true });
  mkdirSync(join(modules, '.bin'));
  for (const name of packagesOfQuickstart)
    symlinkSync(join(projectRoot, 'packages', name), join(modules, '@rewardhook', name));
  const command = join(modules, '.bin/rewardhook');
  writeFileSync(command, `#!/bin/sh\nexec node ${join(projectRoot, 'packages/cli/src/main.ts')} "$@"\n`);
  chmodSync(command, 0o755);
}

// tests/packed-packages/quickstart.e2e.test.ts runs it with the packages as merchants get them, and with all processes.
describe('docs/quickstart.md', () => {
  it('has at most eight commands, including that of the stack', () => {
    const blocks = [...quickstart.matchAll(/^```sh.*\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
    // Lines that continue a command are indented.
    const commands = blocks.flatMap((code) => code.split('\n').filter((line) => /^\S/.test(line)));
    expect(['npm run stack', ...commands].length).toBeLessThanOrEqual(8);
  });

  it('leads from the sign-up to the first verified reward in less than a minute', async () => {
    const cleanup = openCleanup();
    try {
      const folder = temporaryFolder();
      cleanup.add(() => folder.remove());
      const flow = await startFlow();
      cleanup.add(() => flow.close());
      const running = await openConsole(flow.environment);
      cleanup.add(() => running.close());
      linkPackages(folder.path);

      const start = Date.now();
      const { first_keys: firstKeys } = await running.createAccount(
        running.browser(),
        'owner@example.com',
        'Tea shop',
      );
      const output = await followQuickstart({
        folder: folder.path,
        values: {
          REWARDHOOK_BASE_URL: flow.url,
          REWARDHOOK_SECRET_KEY: firstKeys.secret_key,
          REWARDHOOK_SIGNING_SECRET: firstKeys.signing_secret,
        },
        environment: {
          NODE_OPTIONS: `--import ${pathToFileURL(require.resolve('tsx')).href} --conditions=source`,
        },
        isInstalled: true,
      });
      expect(output).toContain('"accepted_count":1');
      expect(Date.now() - start).toBeLessThan(scaled(60_000));
    } finally {
      await cleanup.run();
    }
  }, 180_000);
});
