import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureMember } from '@rewardhook/database';
import { connectProducer, disconnect, openQueues } from '@rewardhook/pipeline';
import { buildOrder, freePort, scaled, startTcpProxy, waitFor } from '@rewardhook/testing';
import { waitForLocks } from '../../../packages/database/src/fixtures/wait-for-locks.ts';
import { testLog } from '../../../tests/harness/test-log.ts';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import { startPrivateRedis } from '../../../tests/harness/private-redis.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';
import type { PrivateRedis } from '../../../tests/harness/private-redis.ts';
import { commands } from './commands.ts';
import { exitCodes, runCommandLine } from './run-command-line.ts';

jest.setTimeout(60_000);

/** The longest time that a command may wait for a server that does not answer, in milliseconds. */
const maxWaitMs = scaled(15_000);

/** A sample for what all commands do in the same way before they start. The test without PostgreSQL runs all. */
const sampleCommands = ['merchant create', 'merchant show', 'member erase', 'doctor'];

describe('The admin command line without its servers', () => {
  let flow: Flow;
  let redis: PrivateRedis;
  let merchant: Merchant;
  let emptyUrl: string;
  const folder = mkdtempSync(join(tmpdir(), 'rewardhook-unavailable-'));
  const emptyName = `test_empty_${randomBytes(6).toString('hex')}`;
  beforeAll(async () => {
    redis = await startPrivateRedis();
    flow = await startFlow({ workers: false, redisUrl: redis.url });
    merchant = await flow.openMerchant();
    await flow.database.$executeRawUnsafe(`CREATE DATABASE ${emptyName} TEMPLATE template0`);
    const url = new URL(flow.environment.databaseUrl);
    url.pathname = emptyName;
    emptyUrl = url.href;
  });
  afterAll(async () => {
    await flow.database.$executeRawUnsafe(`DROP DATABASE ${emptyName} WITH (FORCE)`);
    await flow.close();
    await redis.remove();
    rmSync(folder, { recursive: true });
  });

  const run = async (words: string[], changes: Record<string, string> = {}) => {
    const warnings: string[] = [];
    const outputs: string[] = [];
    const { databaseUrl, secretsKey, prefix } = flow.environment;
    const environment = {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      SECRETS_KEY: secretsKey,
      QUEUE_PREFIX: prefix,
      ...changes,
    };
    const started = performance.now();
    const code = await runCommandLine(words, environment, {
      out: (text) => void outputs.push(text),
      warn: (message) => void warnings.push(message),
    });
    return { code, stderr: warnings.join('\n'), stdout: outputs.join(''), ms: performance.now() - started };
  };
  /** A command with a value for each of its required options. */
  const wordsOf = (name: string) => [
    ...name.split(' '),
    ...Object.keys(commands[name]?.required ?? {}).flatMap((option) => [
      `--${option}`,
      // A merchant that other tests use must not get another id.
      option !== 'merchant' ? join(folder, 'x') : name === 'merchant wipe-live' ? 'mer_nobody' : merchant.id,
    ]),
    ...(commands[name]?.preview ? ['--yes'] : []),
  ];
  /** Runs every command, or those named, six at a time. */
  const runAll = async (changes: Record<string, string> = {}, names = Object.keys(commands)) => {
    const results: Record<string, Awaited<ReturnType<typeof run>>> = {};
    const left = [...names];
    const work = async () => {
      for (let name = left.shift(); name; name = left.shift())
        results[name] = await run(wordsOf(name), changes);
    };
    await Promise.all(Array.from({ length: 6 }, work));
    for (const [name, { stderr, ms }] of Object.entries(results)) {
      expect([name, stderr.match(/prisma|invocation|^\s+at |ioredis|undefined/im)?.[0]]).toEqual([
        name,
        undefined,
      ]);
      expect([name, ms < maxWaitMs]).toEqual([name, true]);
    }
    return results;
  };

  it('ends every command with code 3 when PostgreSQL is not available, and changes nothing', async () => {
    const results = await runAll({ DATABASE_URL: `postgresql://u:hunter2@127.0.0.1:${await freePort()}/x` });
    for (const [name, { code, stderr, stdout }] of Object.entries(results))
      expect([name, code, stderr, stdout]).toEqual([
        name,
        exitCodes.unavailable,
        'PostgreSQL cannot be reached. Nothing was done.',
        '',
      ]);
  });

  it('says that PostgreSQL is slow, not that it cannot be reached, when it accepts connections and does not answer', async () => {
    const proxy = await startTcpProxy(flow.environment.databaseUrl);
    try {
      proxy.set('frozen');
      const { code, stderr } = await run(['doctor'], { DATABASE_URL: proxy.url });
      const ofBusyHost =
        / This host has a load of [\d.]+ on \d+ processors, which makes everything on it slow\./;
      expect([code, stderr.replace(ofBusyHost, '')]).toEqual([
        exitCodes.unavailable,
        'PostgreSQL is slow: it did not answer in time. Nothing was done.',
      ]);
    } finally {
      await proxy.close();
    }
  });

  it('ends every command with code 3 when the database is not migrated, and names the migration', async () => {
    const results = await runAll({ DATABASE_URL: emptyUrl }, sampleCommands);
    for (const [name, { code, stderr }] of Object.entries(results))
      expect([name, code, stderr]).toEqual([
        name,
        exitCodes.unavailable,
        'The database is not migrated to this version: run node packages/database/dist/migrate-main.js first. Nothing was done.',
      ]);
  });

  it('ends every command with code 2 when SECRETS_KEY is not the key of the database', async () => {
    const merchants = () => flow.database.merchant.count();
    const before = await merchants();
    const results = await runAll({ SECRETS_KEY: randomBytes(32).toString('base64') }, sampleCommands);
    for (const [name, { code, stderr }] of Object.entries(results)) {
      expect([name, code]).toEqual([name, exitCodes.usage]);
      expect(stderr).toContain('SECRETS_KEY is not the key');
    }
    expect(await merchants()).toBe(before);
  });

  it('ends the commands that need Redis with code 3 when Redis is not available or frozen, and no command hangs', async () => {
    const unavailable = `redis://127.0.0.1:${await freePort()}`;
    const erase = ['member', 'erase', '--merchant', merchant.id, '--member', 'nobody', '--yes'];
    for (const words of [erase, ['doctor']]) {
      const { code, stderr } = await run(words, { REDIS_URL: unavailable });
      expect([words[0], code, stderr]).toEqual([
        words[0],
        exitCodes.unavailable,
        expect.stringContaining('Redis cannot be reached.'),
      ]);
    }
    await redis.kill('SIGSTOP');
    try {
      const results = await runAll();
      expect([results['doctor']?.code, results['member erase']?.code]).toEqual([
        exitCodes.unavailable,
        exitCodes.unavailable,
      ]);
      expect(results['doctor']?.stderr).toContain('Redis is slow: it did not answer in time.');
    } finally {
      await redis.kill('SIGCONT');
    }
  });

  it('reports what an erasure did when Redis stops answering, and finishes it in a second run', async () => {
    const connection = connectProducer(redis.url, testLog);
    await waitFor(() => connection.status === 'ready', { everyMs: 5 });
    const sync = openQueues(connection, flow.environment.prefix).find(({ name }) => name === 'sync');
    const orders = JSON.stringify([buildOrder({ member_id: 'ann' })]);
    const data = { v: 1, merchantId: merchant.id, version: 1, count: 1, orders };
    const job = await sync?.add('sync', data, { attempts: 1 });
    // The state in which a worker leaves a job whose orders it could not store.
    const key = (state: string) => `${flow.environment.prefix}:sync:${state}`;
    await redis.send('LREM', key('wait'), 0, String(job?.id));
    await redis.send('ZADD', key('failed'), 1, String(job?.id));
    await ensureMember(flow.database, merchant.id, 'ann');
    const erase = ['member', 'erase', '--merchant', merchant.id, '--member', 'ann', '--yes'];
    let interrupted: ReturnType<typeof run> | undefined;
    await flow.database.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT 1 FROM members WHERE merchant_id = ${merchant.id} FOR UPDATE`;
      interrupted = run(erase);
      await waitForLocks(flow.database);
      await redis.kill('SIGSTOP');
    });
    const first = await interrupted;
    await redis.kill('SIGCONT');
    expect([first?.code, first?.stderr]).toEqual([
      exitCodes.unavailable,
      expect.stringMatching(
        /^Redis stopped answering\. The member is erased in PostgreSQL.+Run the same command again/,
      ),
    ]);
    expect(await sync?.getFailedCount()).toBe(1);
    const second = await run(erase);
    expect([second.code, JSON.parse(second.stdout)]).toEqual([
      exitCodes.done,
      { jobsForgotten: 1, jobsUnreadable: [] },
    ]);
    expect(await sync?.getFailedCount()).toBe(0);
    await disconnect(connection);
  });

  it('prints its help to stderr and ends with code 0', async () => {
    const help = await run(['--help']);
    expect([help.code, help.stdout]).toEqual([exitCodes.done, '']);
    for (const name of Object.keys(commands)) expect(help.stderr).toContain(name);
    const ofCommand = await run(['webhook', 'add', '--help']);
    expect([ofCommand.code, ofCommand.stdout]).toEqual([exitCodes.done, '']);
    expect(ofCommand.stderr).toContain('--ignore-limits');
  });

  it('ends with code 2 for a wrong command, wrong options and wrong settings, and shows the correct usage', async () => {
    expect(await run(['merchant', 'creat'])).toMatchObject({
      code: exitCodes.usage,
      stderr: expect.stringContaining('Did you mean create?'),
      stdout: '',
    });
    expect(await run(['merchant', 'show', '--merchnt', 'x'])).toMatchObject({
      code: exitCodes.usage,
      stderr: expect.stringContaining('Did you mean --merchant?'),
    });
    expect((await run([])).code).toBe(exitCodes.usage);
    const missing = await run(['merchant', 'show']);
    expect([missing.code, missing.stderr]).toEqual([
      exitCodes.usage,
      expect.stringContaining('Missing: --merchant'),
    ]);
    expect(await run(['merchant', 'create', '--name', '\ufffd\ufffd'])).toMatchObject({
      code: exitCodes.usage,
      stderr: expect.stringMatching(/has lost characters .*CP949/),
    });
    expect(await run(['doctor'], { SECRETS_KEY: 'short' })).toMatchObject({ code: exitCodes.usage });
    expect(await run(['merchant', 'show', '--merchant', merchant.id])).toMatchObject({
      code: exitCodes.done,
      stderr: '',
    });
  });
});
