import { LimitReached, openDatabase, openSealer } from '@rewardhook/database';
import { connectProducer, disconnect } from '@rewardhook/pipeline';
import type { Redis } from '@rewardhook/pipeline';
import { SettingsError, webhookLimits } from '@rewardhook/process';
import { UsageError } from './command.ts';
import type { Answer } from './command.ts';
import { readAdminSettings } from './environment.ts';
import { help, readArguments } from './read-arguments.ts';

const silent = { info() {}, warn() {}, error() {} };
const warn = (message: string) => process.stderr.write(`${message}\n`);

process.exitCode = await main(process.argv.slice(2));

async function main(words: string[]): Promise<number> {
  if (words.includes('--help') || words.includes('-h')) {
    warn(help());
    return 0;
  }
  try {
    const { document, ok = true } = await run(words);
    process.stdout.write(`${JSON.stringify(document, showBigInt, 2)}\n`);
    return ok ? 0 : 1;
  } catch (error) {
    const expected =
      error instanceof UsageError || error instanceof SettingsError || error instanceof LimitReached;
    warn(
      expected
        ? (error instanceof LimitReached && error.field ? `--${error.field} ` : '') + error.message
        : `The command failed: ${error instanceof Error ? error.message : String(error)}`,
    );
    return 1;
  }
}

async function run(words: string[]): Promise<Answer> {
  const { command, options } = readArguments(words);
  const settings = readAdminSettings();
  const database = openDatabase({
    url: settings.DATABASE_URL,
    poolSize: 2,
    applicationName: 'rewardhook-admin',
  });
  let connection: Redis | undefined;
  try {
    return await command.run(options, {
      database,
      sealer: openSealer(settings.SECRETS_KEY),
      queuePrefix: settings.QUEUE_PREFIX,
      secretsKey: settings.SECRETS_KEY,
      allowLoopbackHttp: settings.WEBHOOK_ALLOW_LOOPBACK,
      webhookLimits: webhookLimits(settings),
      consoleUrl: settings.CONSOLE_PUBLIC_URL.replace(/(?<!\/)\/+$/, ''),
      redis: async () => (connection ??= await connected(settings.REDIS_URL)),
      warn,
    });
  } finally {
    if (connection) await disconnect(connection);
    await database.$disconnect();
  }
}

async function connected(url: string): Promise<Redis> {
  const redis = connectProducer(url, silent);
  await new Promise<void>((resolve, reject) => {
    redis.once('ready', resolve);
    redis.once('error', (error) => {
      redis.disconnect();
      reject(new Error(`Redis is unreachable: ${error.message}`));
    });
  });
  return redis;
}

/** Versions and amounts are 64-bit integers in the database; all fit a JSON number. */
function showBigInt(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
