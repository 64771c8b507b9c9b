import { spawn, spawnSync } from 'node:child_process';
import { programArguments, projectRoot } from '@rewardhook/local-stack';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';
import { commands } from './commands.ts';
import { nextSteps } from './next-steps.ts';

jest.setTimeout(60_000);

/** Commands that take something away. */
const asking = [
  'merchant wipe-test',
  'merchant wipe-live',
  'key revoke',
  'webhook delete',
  'signing-key delete',
  'member merge',
  'member move-link',
  'member erase',
  'queue remove',
  'retention prune',
];

describe('A command of the admin command line', () => {
  let flow: Flow;
  let merchant: Merchant;
  let webhookId: string;
  beforeAll(async () => (flow = await startFlow({ workers: false })));
  afterAll(() => flow.close());
  beforeEach(async () => {
    merchant = await flow.openMerchant();
    const hook = { url: 'https://shop.example.com/hook', events: 'reward.issue' };
    webhookId = String((await flow.admin('webhook add', { merchant: merchant.id, ...hook }))['webhookId']);
  });

  const command = (words: string[]) => [
    process.execPath,
    ...programArguments('apps/admin/main', 'built'),
    ...words,
  ];
  const options = () => ({
    cwd: projectRoot,
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: flow.environment.databaseUrl,
      REDIS_URL: flow.environment.redisUrl,
      SECRETS_KEY: flow.environment.secretsKey,
      QUEUE_PREFIX: flow.environment.prefix,
    },
  });
  /** Runs it with its output in a pipe. */
  const run = (...words: string[]) => {
    const [program = '', ...args] = command(words);
    return spawnSync(program, args, { ...options(), stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  };
  /** Runs it on a terminal, which `script` makes, and gives the answer when it asks. */
  const runOnTerminal = (words: string[], answer = '') =>
    new Promise<{ status: number | null; text: string }>((resolve) => {
      const quoted = command(words)
        .map((word) => `'${word}'`)
        .join(' ');
      const child = spawn('script', ['-qefc', quoted, '/dev/null'], options());
      let text = '';
      let answered = false;
      child.stdout.on('data', (chunk: Buffer) => {
        text += String(chunk);
        if (answered || !text.includes('Continue?')) return;
        answered = true;
        child.stdin.write(answer);
      });
      child.on('close', (status) => resolve({ status, text: text.replaceAll('\r\n', '\n') }));
    });
  const deletion = () => ['webhook', 'delete', '--merchant', merchant.id, '--webhook', webhookId];
  const webhooks = () =>
    flow.database.endpoint.count({ where: { merchantId: merchant.id, deletedAt: null } });

  it('that takes something away asks first, and every command says what to do next', () => {
    const names = Object.entries(commands).flatMap(([name, { preview }]) => (preview ? [name] : []));
    expect(names.toSorted((one, two) => asking.indexOf(one) - asking.indexOf(two))).toEqual(asking);
    expect(Object.keys(nextSteps)).toEqual(Object.keys(commands));
  });

  it('changes nothing without a terminal and without --yes, and ends with code 2', async () => {
    const { status, stdout, stderr } = run(...deletion());
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--yes');
    expect(await webhooks()).toBe(1);
  });

  it('shows with --dry-run what it would do, in JSON in a pipe, and leaves no entry in the audit', async () => {
    const { status, stdout } = run(...deletion(), '--dry-run');
    expect([status, JSON.parse(stdout)]).toEqual([
      0,
      {
        dryRun: true,
        what: expect.stringContaining('https://shop.example.com/hook'),
        counts: { deliveriesCancelled: 0, webhooksLeft: 0 },
      },
    ]);
    expect(await webhooks()).toBe(1);
    const entries = await flow.database.auditEntry.count({
      where: { merchantId: merchant.id, action: 'webhook.deleted' },
    });
    expect(entries).toBe(0);
    expect(run('retention', 'prune', '--dry-run').status).toBe(0);
    expect(run('member', 'erase', '--merchant', merchant.id, '--member', 'x', '--dry-run').status).toBe(0);
  });

  it('asks on a terminal: a no, or the end of the input, changes nothing and ends with code 1', async () => {
    for (const answer of ['n\n', '\n', '\u0004']) {
      const { status, text } = await runOnTerminal(deletion(), answer);
      expect([status, text]).toEqual([1, expect.stringContaining('Nothing was changed.')]);
      expect(text).toMatch(/deliveriesCancelled +0/);
    }
    expect(await webhooks()).toBe(1);
  });

  it('runs on a terminal after a yes, and says what to do next', async () => {
    const { status, text } = await runOnTerminal(deletion(), 'y\n');
    expect([status, text]).toEqual([0, expect.stringMatching(/deleted +true/)]);
    expect(text).toContain(
      `Next: Rewards that are confirmed from now on need another webhook: "webhook add --merchant ${merchant.id}".`,
    );
    expect(await webhooks()).toBe(0);
  });

  it('prints JSON on a terminal with --json, and secrets in full without it', async () => {
    const words = ['key', 'create', '--merchant', merchant.id, '--kind', 'secret', '--name', '한글'];
    const { text } = await runOnTerminal([...words, '--json']);
    expect(JSON.parse(text)).toMatchObject({ kind: 'secret', name: '한글' });
    const shown = await runOnTerminal(words);
    const [, key = ''] = /key +(svc_sk_\w+)\n/.exec(shown.text) ?? [];
    const { sync } = { sync: await flow.call('/api/open/orders/sync/', {}, { key }) };
    expect([sync.status, sync.body.code]).toEqual([400, 'invalid_request']);
  });
});
