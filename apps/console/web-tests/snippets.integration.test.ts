import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, projectRoot, waitFor } from '@rewardhook/testing';
import { temporaryFolder } from '@rewardhook/testing';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';

const run = promisify(execFile);
const snippet = (name: string) =>
  readFileSync(join(projectRoot, 'apps/console/web/src/snippets', `${name}.txt`), 'utf8');

describe('The code examples of the console', () => {
  const folder = temporaryFolder();
  let flow: Flow;
  let merchant: Merchant;

  beforeAll(async () => {
    flow = await startFlow();
    merchant = await flow.openMerchant();
    // What `npm install` of the library's archive would do.
    mkdirSync(join(folder.path, 'node_modules/@rewardhook'), { recursive: true });
    symlinkSync(join(projectRoot, 'packages/verify'), join(folder.path, 'node_modules/@rewardhook/verify'));
  }, 120_000);
  afterAll(async () => {
    await flow.close();
    folder.remove();
  });

  const filled = (name: string) =>
    snippet(name)
      .replace('__SECRET_KEY__', merchant.secretKey)
      .replace('__API_URL__', flow.url)
      .replaceAll('__NOW__', new Date().toISOString());

  it('The curl example sends an order', async () => {
    const { stdout } = await run('sh', ['-c', filled('send-order.sh')]);
    expect(JSON.parse(stdout)).toEqual({ data: { accepted_count: 1 } });
  });

  it('The Node example sends an order', async () => {
    const file = join(folder.path, 'send-order.mjs');
    writeFileSync(file, filled('send-order.mjs'));
    const env = { ...process.env, REWARDHOOK_SECRET_KEY: merchant.secretKey };
    const { stdout } = await run(process.execPath, [file], { env });
    expect(stdout).toMatch(/^202 /);
  });

  it('The userHash example creates a hash that boot accepts', async () => {
    const file = join(folder.path, 'user-hash.mjs');
    writeFileSync(file, `${snippet('user-hash.mjs')}console.log(userHashOf('민수'));`);
    const env = { ...process.env, REWARDHOOK_IDENTITY_SECRET: merchant.identitySecret };
    const user_hash = (await run(process.execPath, [file], { env })).stdout.trim();
    const booted = await flow.boot(merchant, { user_id: '민수', user_hash });
    expect(booted.body.data).toMatchObject({ verified: true, referral_code: expect.any(String) });
  });

  it.each([
    ['node:crypto', 'node.mjs'],
    ['our library', 'quickstart.mjs'],
  ])(
    'The receiver with %s verifies a webhook and rejects a forged one',
    async (_way, name) => {
      merchant = await flow.openMerchant();
      const port = await freePort();
      const file = join(folder.path, name);
      const code = readFileSync(join(projectRoot, 'examples/receivers', name), 'utf8');
      writeFileSync(file, code.replace('8080', String(port)));
      const env = { ...process.env, REWARDHOOK_SIGNING_SECRET: merchant.signingSecret };
      const fromSource = ['--import', 'tsx', '-C', 'source'];
      const receiver = spawn(process.execPath, [...fromSource, file], {
        cwd: projectRoot,
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      receiver.stdout.on('data', (text: Buffer) => void (output += text.toString()));
      try {
        const url = `http://127.0.0.1:${port}/`;
        const forged = () => fetch(url, { method: 'POST', body: '{}' }).catch(() => undefined);
        const refused = await waitFor(forged, { deadlineMs: 20_000, what: 'the receiver' });
        expect(refused.status).toBe(400);
        await flow.admin('webhook add', { merchant: merchant.id, url, events: 'reward.issue' });
        await flow.link(merchant, 'friend', 'member-1');
        await run('sh', ['-c', filled('send-order.sh')]);
        await waitFor(() => output.includes('grant 3000 points to member-1') || undefined, {
          deadlineMs: 20_000,
          what: 'the grant',
        });
      } finally {
        receiver.kill();
      }
    },
    60_000,
  );
});
