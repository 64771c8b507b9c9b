import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createTestDatabase } from '@rewardhook/testing/servers';
import { freePort, projectRoot, waitFor } from '@rewardhook/testing';
import type { TestDatabase } from '@rewardhook/testing/servers';
import { deliveryHeaders, generateSigningSecret } from '@rewardhook/webhook';
import { temporaryFolder } from '@rewardhook/testing';
import { runSql } from '@rewardhook/testing/servers';

/** The port that all receivers of docs and console listen on. */
const port = '8080';

const codeOf = (file: string) => readFileSync(join(projectRoot, 'examples/receivers', file), 'utf8');

const secret = generateSigningSecret();
const otherSecret = generateSigningSecret();

type Receiver = {
  file: string;
  code: string;
  remembersInDatabase?: boolean;
  /** Whether it accepts the test side, and lists what that grants apart. */
  listsTestSide?: boolean;
};
const all: [string, Receiver][] = [
  [
    'docs/webhooks.md, Node with PostgreSQL',
    { file: 'postgres.mjs', code: codeOf('postgres.mjs'), remembersInDatabase: true },
  ],
  ['docs/webhooks.md, Python', { file: 'sqlite.py', code: codeOf('sqlite.py'), remembersInDatabase: true }],
  ['docs/api.md and console, node:crypto', { file: 'node.mjs', code: codeOf('node.mjs') }],
  [
    'docs/quickstart.md and console, our library',
    { file: 'quickstart.mjs', code: codeOf('quickstart.mjs'), listsTestSide: true },
  ],
];

const withPython = spawnSync('python3', ['--version']).status === 0;
const receivers = all.filter(([, { file }]) => withPython || !file.endsWith('.py'));

/** A receiver prints a line for each grant; the first grant to "unlucky" fails instead. */
const failFirstGrant = {
  'fail-first.mjs': `
    const { log } = console;
    let failed = false;
    console.log = (text) => {
      if (!failed && /^grant .* to unlucky$/.test(text)) {
        failed = true;
        throw new Error('the grant fails');
      }
      log(text);
    };
    console.error = () => undefined;`,
  'sitecustomize.py': `
import builtins, sys, traceback
shown, failed = builtins.print, []
def fail_first(*words, **options):
    if not failed and str(words[0]).endswith(" to unlucky"):
        failed.append(True)
        raise RuntimeError("the grant fails")
    shown(*words, **options)
if sys.argv[0] != "":
    builtins.print = fail_first
    traceback.print_exc = lambda: None`,
};

/** A request as Rewardhook sends it. */
interface Sent {
  reward?: string;
  member?: string;
  type?: string;
  delivery?: string;
  event?: string;
  secret?: string;
  /** Seconds before now. */
  age?: number;
  /** Omits the webhook-* headers, as an attacker who replays a recorded request can. */
  stripped?: boolean;
  data?: object;
  /** A test event. */
  test?: true;
  /** An event of the test side. */
  mode?: 'test';
}

describe('A receiver of the docs or the console', () => {
  let database: TestDatabase;
  const folder = temporaryFolder();
  const running = new Map<string, { url: string; output: () => string[]; process: ChildProcess }>();

  async function start(file: string, code: string): Promise<void> {
    const free = await freePort();
    const path = join(folder.path, file);
    writeFileSync(path, code.replaceAll(port, String(free)));
    const python = file.endsWith('.py');
    const preload = ['--import', pathToFileURL(join(folder.path, 'fail-first.mjs')).href];
    const fromSource = code.includes('@rewardhook/') ? ['--import', 'tsx', '-C', 'source'] : [];
    const env = {
      ...process.env,
      REWARDHOOK_SIGNING_SECRET: secret,
      DATABASE_URL: database.url,
      PYTHONPATH: folder.path,
    };
    const started = spawn(
      python ? 'python3' : process.execPath,
      python ? [path] : [...fromSource, ...preload, path],
      { cwd: python ? folder.path : projectRoot, env, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let [said, errors] = ['', ''];
    started.stdout?.on('data', (text: Buffer) => void (said += text.toString()));
    started.stderr?.on('data', (text: Buffer) => void (errors += text.toString()));
    const url = `http://127.0.0.1:${free}/webhooks`;
    running.set(file, { url, output: () => said.trim().split('\n').filter(Boolean), process: started });
    const answered = () => fetch(url, { method: 'POST', body: '{}' }).catch(() => undefined);
    await waitFor(
      async () => {
        if (started.exitCode !== null) throw new Error(`${file} ended: ${errors}`);
        return (await answered()) !== undefined;
      },
      { deadlineMs: 20_000, what: file },
    );
  }

  async function stop(file: string): Promise<void> {
    const { process: started } = running.get(file) ?? {};
    if (!started || started.exitCode !== null) return;
    const ended = new Promise((resolve) => started.once('exit', resolve));
    started.kill('SIGKILL');
    await ended;
  }

  beforeAll(async () => {
    for (const [name, text] of Object.entries(failFirstGrant)) writeFileSync(join(folder.path, name), text);
    // What `npm install` would do.
    for (const [name, target] of [
      ['@rewardhook/verify', 'packages/verify'],
      ['pg', 'node_modules/pg'],
    ] as const) {
      const link = join(folder.path, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(projectRoot, target), link);
    }
    database = await createTestDatabase();
    await runSql(database.url, codeOf('postgres.sql'));
    await Promise.all(receivers.map(([, { file, code }]) => start(file, code)));
  }, 60_000);
  afterAll(async () => {
    await Promise.all(receivers.map(([, { file }]) => stop(file)));
    await database.drop();
    folder.remove();
  });

  async function send(file: string, sent: Sent, query = ''): Promise<number> {
    const { type = 'reward.issue', delivery = randomUUID(), event = `evt_${randomUUID()}` } = sent;
    const reward = { id: sent.reward, type: 'points', amount: 3000, unit: 'points' };
    const data = sent.data ?? { reward, member_id: sent.member };
    const created_at = '2026-11-21T01:00:06.000Z';
    const body = Buffer.from(
      JSON.stringify({ id: event, type, test: sent.test, mode: sent.mode, created_at, data }),
    );
    const key = sent.secret ?? secret;
    const headers = deliveryHeaders({
      eventType: type,
      deliveryId: delivery,
      attempt: 1,
      body,
      signing: { primary: key, all: [key] },
      timestampSeconds: Math.floor(Date.now() / 1000) - (sent.age ?? 0),
    });
    const kept = Object.entries(headers).filter(([name]) => !sent.stripped || !name.startsWith('webhook-'));
    const { url } = running.get(file) as { url: string };
    return (await fetch(url + query, { method: 'POST', headers: kept, body })).status;
  }
  /** The grants to a member, and their reversals. */
  const workFor = (file: string, member: string) =>
    running
      .get(file)
      ?.output()
      .filter((line) => line.endsWith(` ${member}`)) ?? [];

  describe.each(receivers)('%s', (_name, { file, code, remembersInDatabase, listsTestSide }) => {
    it('grants a reward once when it is delivered to two URLs at the same time, and again later', async () => {
      const reward = { reward: 'rwd_two', member: 'two-urls', event: 'evt_two' };
      const first = { ...reward, delivery: randomUUID() };
      const second = { ...reward, delivery: randomUUID() };
      const both = await Promise.all([send(file, first, '?url=1'), send(file, second, '?url=2')]);
      expect(both.every((status) => status < 300)).toBe(true);
      const later = [first, second, { ...reward, delivery: randomUUID() }, { ...reward, event: 'evt_other' }];
      for (const replay of later) expect(await send(file, replay)).toBeLessThan(300);
      expect(workFor(file, 'two-urls')).toEqual(['grant 3000 points to two-urls']);
    });

    it('grants on the retry a reward whose first delivery failed', async () => {
      const issued = { reward: 'rwd_unlucky', member: 'unlucky', delivery: randomUUID() };
      expect(await send(file, issued)).toBeGreaterThanOrEqual(500);
      expect(workFor(file, 'unlucky')).toEqual([]);
      expect(await send(file, issued)).toBeLessThan(300);
      expect(await send(file, issued)).toBeLessThan(300);
      expect(workFor(file, 'unlucky')).toEqual(['grant 3000 points to unlucky']);
    });

    it('takes a revoked reward back once, also when the revocation arrives before the reward', async () => {
      const [usual, early] = [
        { reward: 'rwd_usual', member: 'usual' },
        { reward: 'rwd_early', member: 'early' },
      ];
      const revoke = (of: Sent) => send(file, { ...of, type: 'reward.revoke' });
      for (const answer of [
        await send(file, usual),
        await revoke(usual),
        await revoke(usual),
        await revoke(early),
        await send(file, early),
      ])
        expect(answer).toBeLessThan(300);
      expect(workFor(file, 'usual')).toEqual([
        'grant 3000 points to usual',
        'take back 3000 points from usual',
      ]);
      expect(workFor(file, 'early').map((line) => line.split(' ')[0])).toEqual(['take', 'grant']);
    });

    it('refuses forged, old and early requests, and replayed ones without their signed time', async () => {
      const bad = { reward: 'rwd_bad', member: 'nobody' };
      for (const sent of [
        { ...bad, secret: otherSecret },
        { ...bad, age: 301 },
        { ...bad, age: -310 },
        { ...bad, stripped: true },
      ]) {
        const status = await send(file, sent);
        expect(status >= 400 && status < 500).toBe(true);
      }
      expect(workFor(file, 'nobody')).toEqual([]);
    });

    it('responds to events of other types and does nothing', async () => {
      const before = running.get(file)?.output().length;
      expect(await send(file, { type: 'webhook.ping', data: {} })).toBeLessThan(300);
      expect(await send(file, { type: 'endpoint.failing', data: { reason: 'x' } })).toBeLessThan(300);
      expect(running.get(file)?.output().length).toBe(before);
    });

    it('responds to a test event of a reward and grants nothing', async () => {
      const sample = { reward: 'rwd_sample', member: 'sampled', test: true } as const;
      expect(await send(file, sample)).toBeLessThan(300);
      expect(await send(file, { ...sample, type: 'reward.revoke' })).toBeLessThan(300);
      expect(workFor(file, 'sampled')).toEqual([]);
    });

    it('responds to an event of the test side, and neither grants nor takes back anything real', async () => {
      const trial = { reward: 'rwd_trial', member: 'trial', mode: 'test' } as const;
      expect(await send(file, trial)).toBeLessThan(300);
      expect(await send(file, { ...trial, type: 'reward.revoke' })).toBeLessThan(300);
      expect(workFor(file, 'trial')).toEqual(
        listsTestSide ? ['test: grant 3000 points to trial', 'test: take back 3000 points from trial'] : [],
      );
    });

    if (remembersInDatabase)
      it('remembers granted rewards after a restart', async () => {
        const issued = { reward: 'rwd_lasting', member: 'lasting', delivery: randomUUID() };
        expect(await send(file, issued)).toBeLessThan(300);
        expect(workFor(file, 'lasting')).toHaveLength(1);
        await stop(file);
        await start(file, code);
        expect(await send(file, issued)).toBeLessThan(300);
        expect(await send(file, { ...issued, delivery: randomUUID() })).toBeLessThan(300);
        expect(workFor(file, 'lasting')).toEqual([]);
      });
  });
});

describe('A receiver of the docs or the console', () => {
  it('listens on no port of the stack', () => {
    const stack = readFileSync(join(projectRoot, 'docker-compose.yml'), 'utf8');
    const fixed = readFileSync(join(projectRoot, 'packages/local-stack/src/stack/ports.ts'), 'utf8');
    for (const text of [stack, fixed]) expect(text).not.toContain(port);
    for (const [, { code }] of receivers)
      expect(
        code
          .match(/listen\((\d+)\)|\("", (\d+)\)/)
          ?.slice(1)
          .find(Boolean),
      ).toBe(port);
  });
});
