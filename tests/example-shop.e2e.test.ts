import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';
import { chromiumArguments, chromiumPath } from '@rewardhook/testing/servers';
import { freePort, projectRoot, temporaryFolder, waitFor } from '@rewardhook/testing';
import { browserUserAgent } from './harness/call-api.ts';
import { startFlow } from './harness/start-flow.ts';
import type { Flow } from './harness/start-flow.ts';

describe('The example shop', () => {
  const folder = temporaryFolder();
  let flow: Flow;
  let browser: Browser;
  let shop: ChildProcess;
  let shopUrl: string;
  let output = '';

  beforeAll(async () => {
    flow = await startFlow();
    browser = await chromium.launch({ executablePath: await chromiumPath(), args: chromiumArguments });
    const port = String(await freePort());
    shopUrl = `http://127.0.0.1:${port}`;
    const { databaseUrl, redisUrl, prefix, secretsKey } = flow.environment;
    shop = spawn(process.execPath, [join(projectRoot, 'examples/shop/start.mjs')], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        DATABASE_URL: databaseUrl,
        REDIS_URL: redisUrl,
        QUEUE_PREFIX: prefix,
        SECRETS_KEY: secretsKey,
        WEBHOOK_ALLOW_LOOPBACK: 'true',
        REWARDHOOK_BASE_URL: flow.url,
        SHOP_PORT: port,
        SHOP_FOLDER: join(folder.path, 'points'),
      },
    });
    for (const stream of [shop.stdout, shop.stderr])
      stream?.on('data', (text: Buffer) => void (output += text.toString()));
    await waitFor(
      async () => {
        if (shop.exitCode !== null) throw new Error(`the shop ended: ${output}`);
        return output.includes('The shop is at');
      },
      { deadlineMs: 240_000, what: 'the shop' },
    );
  }, 400_000);
  afterAll(async () => {
    shop.kill();
    await browser.close();
    await flow.close();
    folder.remove();
  });

  const grants = () => readdirSync(join(folder.path, 'points'));

  it('A friend follows a share link, signs up and buys tea, and both get their points once', async () => {
    const visit = async () => {
      const page = await (await browser.newContext({ userAgent: browserUserAgent })).newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(error.message));
      const signUp = async (name: string) => {
        await page.getByRole('textbox', { name: 'Name' }).fill(name);
        await page.getByRole('button', { name: 'Sign up' }).click();
      };
      const points = (text: string) => page.locator('#points', { hasText: text }).waitFor();
      return { page, errors, signUp, points };
    };
    const [alice, bob] = [await visit(), await visit()];
    await alice.page.goto(shopUrl);
    await alice.signUp('alice');
    const shareLink = String(
      await alice.page.getByRole('link', { name: /\/r\/\w{8}$/ }).getAttribute('href'),
    );

    // The link begins with the public URL of the API, which the test has no name server for.
    await bob.page.goto(`${flow.url}${new URL(shareLink).pathname}`);
    expect(bob.page.url()).toMatch(`${shopUrl}/?rh_code=`);
    await bob.signUp('bob');
    await bob.page.getByRole('link', { name: /\/r\/\w{8}$/ }).waitFor();
    await bob.page.getByRole('button', { name: /Buy/ }).click();
    await bob.points('3000');
    await alice.points('3000');

    // A second order earns nothing under the first-order rule.
    await bob.page.getByRole('button', { name: /Buy/ }).click();
    await waitFor(async () => (await flow.database.order.count()) === 2, { what: 'the second order' });
    expect(grants()).toHaveLength(2);
    expect([...alice.errors, ...bob.errors]).toEqual([]);
  });

  it('The shop refuses a webhook that is not signed, and grants nothing', async () => {
    const forged = JSON.stringify({
      id: 'evt_1',
      type: 'reward.issue',
      created_at: new Date().toISOString(),
      data: { reward: { id: 'rwd_1', type: 'points', amount: 9, unit: 'points' }, member_id: 'alice' },
    });
    const before = grants();
    const response = await fetch(`${shopUrl}/webhooks`, { method: 'POST', body: forged });
    expect(response.status).toBe(400);
    expect(grants()).toEqual(before);
  });

  it('The shop answers 404 for a path that it does not have, also for one that is not a URL', async () => {
    for (const path of ['/none', '//'])
      expect([path, (await fetch(`${shopUrl}${path}`)).status]).toEqual([path, 404]);
  });

  it('Its program has fewer than 200 lines', () => {
    const program = readFileSync(join(projectRoot, 'examples/shop/shop.mjs'), 'utf8');
    expect(program.split('\n').length).toBeLessThan(200);
  });
});
