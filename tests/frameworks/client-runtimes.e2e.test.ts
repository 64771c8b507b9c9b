import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot, temporaryFolder } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import { installLocked } from '../harness/install-locked.ts';
import { runtimeCommand } from '../harness/runtime-command.ts';
import type { Runtime } from '../harness/runtime-command.ts';

jest.setTimeout(180_000);

describe('The client', () => {
  const folder = temporaryFolder();
  let flow: Flow;
  let modules: string;
  beforeAll(async () => {
    [flow, modules] = await Promise.all([startFlow(), installLocked('tests/frameworks')]);
    cpSync(join(import.meta.dirname, 'client/use-client.mjs'), join(folder.path, 'use-client.mjs'));
    // What `npm install` of the package would do.
    mkdirSync(join(folder.path, 'node_modules/@rewardhook'), { recursive: true });
    symlinkSync(join(projectRoot, 'packages/node'), join(folder.path, 'node_modules/@rewardhook/node'));
  });
  afterAll(async () => {
    await flow.close();
    folder.remove();
  });

  it.each<Runtime>(['Node.js', 'Bun', 'Deno'])(
    'links members, sends orders, reads the feed and lists, and tells errors in %s',
    async (runtime) => {
      const { secretKey } = await flow.openMerchant();
      const [command = '', ...words] = runtimeCommand(runtime, modules);
      const prefix = runtime.replace('.', '').toLowerCase();
      const { stdout } = await promisify(execFile)(command, [...words, 'use-client.mjs', prefix], {
        cwd: folder.path,
        env: {
          PATH: process.env['PATH'],
          HOME: folder.path,
          NO_COLOR: '1',
          REWARDHOOK_BASE_URL: flow.url,
          REWARDHOOK_SECRET_KEY: secretKey,
        },
      });
      expect(JSON.parse(stdout)).toEqual({
        linked: 'ref_',
        accepted: 4,
        invalid: [['-4', ['orders[3].order_amount']]],
        rewards: ['-referee', '-referrer'],
        orders: ['-1', '-2', '-3', '-5'],
        errors: ['invalid_api_key', 'unreachable'],
        hash: 'fea9940e',
      });
    },
  );
});
