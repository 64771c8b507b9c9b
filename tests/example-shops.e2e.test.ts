import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildOrder, freePort, projectRoot, temporaryFolder, waitFor } from '@rewardhook/testing';
import { startFlow } from './harness/start-flow.ts';
import type { Flow } from './harness/start-flow.ts';
import type { Merchant } from './harness/open-merchant.ts';
import { installLocked } from './harness/install-locked.ts';

jest.setTimeout(300_000);

/** An example: where its modules are locked, the program that builds it, and the one that starts it and what it prints then. */
interface Example {
  folder: string;
  lock: string;
  build: string[];
  start(port: number): string[];
  ready: string;
}

const examples: [string, Example][] = [
  [
    'in TypeScript with Express',
    {
      folder: 'examples/express',
      lock: 'tests/frameworks',
      build: ['node_modules/typescript/bin/tsc'],
      start: () => ['dist/server.js'],
      ready: 'The shop is at',
    },
  ],
  [
    'with route handlers of Next.js',
    {
      folder: 'examples/next',
      lock: 'tests/next',
      build: ['node_modules/next/dist/bin/next', 'build'],
      start: (port) => [
        'node_modules/next/dist/bin/next',
        'start',
        '--port',
        String(port),
        '--hostname',
        '127.0.0.1',
      ],
      ready: 'Ready',
    },
  ],
];

describe.each(examples)('The example %s', (_name, example) => {
  const folder = temporaryFolder();
  let flow: Flow;
  let merchant: Merchant;
  let shop: ChildProcess;
  let shopUrl: string;
  let output = '';

  beforeAll(async () => {
    flow = await startFlow();
    merchant = await flow.openMerchant();
    // Copies, because Turbopack follows no link out of the folder.
    cpSync(join(projectRoot, example.folder), folder.path, { recursive: true });
    const modules = join(folder.path, 'node_modules');
    await promisify(execFile)('cp', ['-R', await installLocked(example.lock), modules]);
    mkdirSync(join(modules, '@rewardhook'), { recursive: true });
    for (const name of ['node', 'verify'])
      cpSync(join(projectRoot, 'packages', name), join(modules, '@rewardhook', name), { recursive: true });
    const environment = {
      PATH: process.env['PATH'],
      HOME: folder.path,
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
    };
    // Without the secrets, as in the build of an image.
    await promisify(execFile)(process.execPath, example.build, { cwd: folder.path, env: environment }).catch(
      ({ stdout, stderr }: { stdout: string; stderr: string }) => {
        throw new Error(stdout + stderr);
      },
    );
    const port = await freePort();
    shopUrl = `http://127.0.0.1:${port}`;
    await flow.admin('webhook add', {
      merchant: merchant.id,
      url: `${shopUrl}/webhooks`,
      events: 'reward.issue,reward.revoke',
    });
    shop = spawn(process.execPath, example.start(port), {
      cwd: folder.path,
      env: {
        ...environment,
        PORT: String(port),
        REWARDHOOK_BASE_URL: flow.url,
        REWARDHOOK_SECRET_KEY: merchant.secretKey,
        REWARDHOOK_SIGNING_SECRET: merchant.signingSecret,
      },
    });
    for (const stream of [shop.stdout, shop.stderr])
      stream?.on('data', (text: Buffer) => (output += text.toString()));
    await waitFor(
      () => {
        if (shop.exitCode !== null) throw new Error(`the shop ended: ${output}`);
        return output.includes(example.ready);
      },
      { deadlineMs: 30_000, what: 'the shop' },
    );
  });
  afterAll(async () => {
    shop?.kill();
    await flow?.close();
    folder.remove();
  });

  const order = (body: object) =>
    fetch(`${shopUrl}/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const pointsOf = async (member: string) =>
    ((await (await fetch(`${shopUrl}/points/${member}`)).json()) as { points: number }).points;

  it('sends an order, and grants both members their points for the webhooks', async () => {
    await flow.link(merchant, 'ann', 'bob');
    expect((await order(buildOrder({ member_id: 'bob' }))).status).toBe(202);
    await flow.queues.settled();
    await waitFor(async () => (await pointsOf('bob')) === 3000 && (await pointsOf('ann')) === 3000, {
      deadlineMs: 30_000,
      what: 'the points',
    });
  });

  it('answers 400 with the fields of an order that is refused, and refuses a webhook that is not signed', async () => {
    const refused = await order(buildOrder({ order_amount: -1 }));
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { errors: { 'orders[0].order_amount': 'must be 0 or more' } },
    ]);
    expect((await fetch(`${shopUrl}/webhooks`, { method: 'POST', body: '{}' })).status).toBe(400);
  });
});
