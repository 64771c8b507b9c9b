import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot, temporaryFolder } from '@rewardhook/testing';
import { openConsole } from '../apps/console/testing/open-console.ts';
import { openCleanup, startFlow } from './harness/index.ts';

const quickstart = readFileSync(join(projectRoot, 'docs/quickstart.md'), 'utf8');
const commands = [...quickstart.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block ?? '');

describe('docs/quickstart.md', () => {
  it('leads from the sign-up to the first reward in less than a minute, with its commands unchanged', async () => {
    const cleanup = openCleanup();
    try {
      const folder = temporaryFolder();
      cleanup.add(() => folder.remove());
      const flow = await startFlow();
      cleanup.add(() => flow.close());
      const running = await openConsole(flow.environment);
      cleanup.add(() => running.close());

      const start = Date.now();
      const { merchant } = await running.signUp();
      const variables = {
        REWARDHOOK_BASE_URL: flow.url,
        REWARDHOOK_SECRET_KEY: merchant.secretKey,
        REWARDHOOK_SIGNING_SECRET: merchant.signingSecret,
      };
      const text = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
      writeFileSync(join(folder.path, 'rewardhook.env'), text.join(''));
      const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands.join('\n')], {
        cwd: folder.path,
        timeout: 60_000,
      });
      expect(stdout).toContain('"accepted_count":1');
      expect(stdout).toContain('"type":"reward.issue"');
      expect(Date.now() - start).toBeLessThan(60_000);
      const rewards = await flow.database.reward.findMany({ where: { merchantId: merchant.id } });
      expect(rewards.map(({ memberId }) => memberId).toSorted()).toEqual(['alice', 'bob']);
    } finally {
      await cleanup.run();
    }
  }, 180_000);
});
