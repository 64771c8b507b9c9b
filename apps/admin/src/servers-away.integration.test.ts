import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureMember } from '@rewardhook/database';
import { connectProducer, disconnect, openQueues } from '@rewardhook/pipeline';
import { buildOrder, freePort, waitFor } from '@rewardhook/testing';
import { waitForLocks } from '../../../packages/database/src/fixtures/wait-for-locks.ts';
import { testLog, startFlow, startPrivateRedis } from '../../../tests/harness/index.ts';
import type { Flow, Merchant, PrivateRedis } from '../../../tests/harness/index.ts';
import { commands } from './commands.ts';
import { exitCodes, runCommandLine } from './run-command-line.ts';

/** No command may keep an operator waiting longer for a server that does not answer, in milliseconds. */
const patienceMs = 15_000;

/** Enough of them where all do the same before they start; that they all do is seen without PostgreSQL. */
const someCommands = ['merchant create', 'merchant show', 'member erase', 'doctor'];

describe('the operator’s command line without its servers', () => {
  let flow: Flow;
  let redis: PrivateRedis;
  let shop: Merchant;
  let emptyUrl: string;
  const folder = mkdtempSync(join(tmpdir(), 'rewardhook-away-'));
  const emptyName = `test_empty_${randomBytes(6).toString('hex')}`;
  beforeAll(async () => {
    redis = await startPrivateRedis();
    flow = await startFlow({ workers: false, redisUrl: redis.url });
    shop = await flow.openMerchant();
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
    const said: string[] = [];
    const printed: string[] = [];
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
      out: (text) => void printed.push(text),
      warn: (message) => void said.push(message),
    });
    return { code, said: said.join('\n'), printed: printed.join(''), ms: performance.now() - started };
  };
  /** A command with a value for each of its options. */
  const wordsOf = (name: string) => [
    ...name.split(' '),
    ...Object.keys(commands[name]?.required ?? {}).flatMap((option) => [
      `--${option}`,
      option === 'merchant' ? shop.id : join(folder, 'x'),
    ]),
  ];
  /** Runs every command that there is, or those named, some at a time. */
  const runAll = async (changes: Record<string, string> = {}, names = Object.keys(commands)) => {
    const results: Record<string, Awaited<ReturnType<typeof run>>> = {};
    const left = [...names];
    const work = async () => {
      for (let name = left.shift(); name; name = left.shift())
        results[name] = await run(wordsOf(name), changes);
    };
    await Promise.all(Array.from({ length: 6 }, work));
    for (const [name, { said, ms }] of Object.entries(results)) {
      expect([name, said.match(/prisma|invocation|^\s+at |ioredis|undefined/im)?.[0]]).toEqual([
        name,
        undefined,
      ]);
      expect([name, ms < patienceMs]).toEqual([name, true]);
    }
    return results;
  };

  it('Without PostgreSQL every command says so, has done nothing, and ends with code 3', async () => {
    const results = await runAll({ DATABASE_URL: `postgresql://u:hunter2@127.0.0.1:${await freePort()}/x` });
    for (const [name, { code, said, printed }] of Object.entries(results))
      expect([name, code, said, printed]).toEqual([
        name,
        exitCodes.away,
        'PostgreSQL cannot be reached, or does not answer. Nothing was done.',
        '',
      ]);
  });

  it('With a database that is not migrated every command names the migration, and ends with code 3', async () => {
    const results = await runAll({ DATABASE_URL: emptyUrl }, someCommands);
    for (const [name, { code, said }] of Object.entries(results))
      expect([name, code, said]).toEqual([
        name,
        exitCodes.away,
        'The database is not migrated to this version: run node packages/database/dist/migrate-main.js first. Nothing was done.',
      ]);
  });

  it('With another SECRETS_KEY every command refuses to start, before it seals what nobody could open', async () => {
    const merchants = () => flow.database.merchant.count();
    const before = await merchants();
    const results = await runAll({ SECRETS_KEY: randomBytes(32).toString('base64') }, someCommands);
    for (const [name, { code, said }] of Object.entries(results)) {
      expect([name, code]).toEqual([name, exitCodes.usage]);
      expect(said).toContain('SECRETS_KEY is not the key');
    }
    expect(await merchants()).toBe(before);
  });

  it('Without Redis, or with a frozen one, no command hangs, and those that need it say so and end with code 3', async () => {
    const away = `redis://127.0.0.1:${await freePort()}`;
    const erase = ['member', 'erase', '--merchant', shop.id, '--member', 'nobody'];
    for (const words of [erase, ['doctor']]) {
      const { code, said } = await run(words, { REDIS_URL: away });
      expect([words[0], code, said]).toEqual([
        words[0],
        exitCodes.away,
        expect.stringContaining('Redis cannot be reached, or does not answer.'),
      ]);
    }
    await redis.kill('SIGSTOP');
    try {
      const results = await runAll();
      expect([results['doctor']?.code, results['member erase']?.code]).toEqual([
        exitCodes.away,
        exitCodes.away,
      ]);
    } finally {
      await redis.kill('SIGCONT');
    }
  }, 60_000);

  it('An erasure that Redis breaks off says what is done, and a second run finishes it', async () => {
    const connection = connectProducer(redis.url, testLog);
    await waitFor(() => connection.status === 'ready', { everyMs: 5 });
    const sync = openQueues(connection, flow.environment.prefix).find(({ name }) => name === 'sync');
    const data = { merchantId: shop.id, version: 1, orders: [buildOrder({ member_id: 'ann' })] };
    const job = await sync?.add('sync', data, { attempts: 1 });
    // As a worker leaves a job that it could not store.
    const key = (state: string) => `${flow.environment.prefix}:sync:${state}`;
    await redis.send('LREM', key('wait'), 0, String(job?.id));
    await redis.send('ZADD', key('failed'), 1, String(job?.id));
    await ensureMember(flow.database, shop.id, 'ann');
    const erase = ['member', 'erase', '--merchant', shop.id, '--member', 'ann'];
    let broken: ReturnType<typeof run> | undefined;
    await flow.database.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT 1 FROM members WHERE merchant_id = ${shop.id} FOR UPDATE`;
      broken = run(erase);
      await waitForLocks(flow.database);
      await redis.kill('SIGSTOP');
    });
    const first = await broken;
    await redis.kill('SIGCONT');
    expect([first?.code, first?.said]).toEqual([
      exitCodes.away,
      expect.stringMatching(
        /^Redis stopped answering\. The member is erased in PostgreSQL.+Run the same command again/,
      ),
    ]);
    expect(await sync?.getFailedCount()).toBe(1);
    const second = await run(erase);
    expect([second.code, JSON.parse(second.printed)]).toEqual([exitCodes.done, { jobsForgotten: 1 }]);
    expect(await sync?.getFailedCount()).toBe(0);
    await disconnect(connection);
  }, 30_000);

  it('Wrong words and wrong settings end with code 2, and say what to write instead', async () => {
    expect(await run(['merchant', 'creat'])).toMatchObject({ code: exitCodes.usage });
    const missing = await run(['merchant', 'show']);
    expect([missing.code, missing.said]).toEqual([
      exitCodes.usage,
      expect.stringContaining('Missing: --merchant'),
    ]);
    expect(await run(['doctor'], { SECRETS_KEY: 'short' })).toMatchObject({ code: exitCodes.usage });
    expect(await run(['merchant', 'show', '--merchant', shop.id])).toMatchObject({
      code: exitCodes.done,
      said: '',
    });
  });
});
