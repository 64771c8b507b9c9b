import {
  checkDatabase,
  LimitReached,
  openDatabase,
  openSealer,
  SealError,
  databaseProblemOf,
} from '@rewardhook/database';
import { connectProducer, disconnect, isRedisUnavailable } from '@rewardhook/pipeline';
import type { Redis } from '@rewardhook/pipeline';
import { SettingsError, webhookLimits, withoutPrismaInvocation, withTimeout } from '@rewardhook/process';
import { CommandFailed, UsageError } from './command.ts';
import type { Answer } from './command.ts';
import { readAdminSettings } from './environment.ts';
import type { AdminSettings } from './environment.ts';
import { help, readArguments } from './read-arguments.ts';

/** What a command line ends with; `docs/operations.md` says so to operators. */
export const exitCodes = {
  done: 0,
  /** The command failed, or found something wrong. */
  failed: 1,
  /** It was called wrongly, or with wrong settings. */
  usage: 2,
  /** PostgreSQL or Redis is away, does not answer, or is not migrated. */
  away: 3,
} as const;

/** Where a command line writes to. */
export interface Output {
  out(text: string): void;
  warn(message: string): void;
}

const silent = { info() {}, warn() {}, error() {} };

/** How long a connection to Redis may take, and how long the connections may take to close, in milliseconds. */
const connectTimeoutMs = 3_000;
const closeTimeoutMs = 2_000;

/** Runs one command and writes its JSON document, or a message that says what to do. Returns the exit code. */
export async function runCommandLine(
  words: string[],
  environment: NodeJS.ProcessEnv,
  { out, warn }: Output,
): Promise<number> {
  if (words.includes('--help') || words.includes('-h')) {
    warn(help());
    return exitCodes.done;
  }
  try {
    const { document, ok = true } = await run(words, environment, warn);
    out(`${JSON.stringify(document, showBigInt, 2)}\n`);
    return ok ? exitCodes.done : exitCodes.failed;
  } catch (error) {
    const { code, message } = describe(error);
    warn(message);
    return code;
  }
}

async function run(words: string[], environment: NodeJS.ProcessEnv, warn: Output['warn']): Promise<Answer> {
  const { command, options } = readArguments(words);
  const settings = readAdminSettings(environment);
  const sealer = openSealer(settings.SECRETS_KEY);
  const database = openDatabase({
    url: settings.DATABASE_URL,
    poolSize: 2,
    applicationName: 'rewardhook-admin',
  });
  let connection: Redis | undefined;
  try {
    await checkDatabase(database, sealer).catch((error: unknown) => {
      throw new NotStarted(error);
    });
    return await command.run(options, {
      database,
      sealer,
      queuePrefix: settings.QUEUE_PREFIX,
      secretsKey: settings.SECRETS_KEY,
      allowLoopbackHttp: settings.WEBHOOK_ALLOW_LOOPBACK,
      webhookLimits: webhookLimits(settings),
      consoleUrl: settings.CONSOLE_PUBLIC_URL.replace(/(?<!\/)\/+$/, ''),
      redis: async () => (connection ??= await connected(settings)),
      warn,
    });
  } finally {
    const closing = Promise.all([connection && disconnect(connection), database.$disconnect()]);
    // What does not answer is not waited for: the process ends, and its connections with it.
    await withTimeout(closing, closeTimeoutMs, 'the connections did not close').catch(() => undefined);
  }
}

/** What kept a command from its start: it has changed nothing. */
class NotStarted extends Error {
  constructor(cause: unknown) {
    super('the command did not start', { cause });
  }
}

async function connected({ REDIS_URL: url }: AdminSettings): Promise<Redis> {
  const redis = connectProducer(url, silent);
  const ready = new Promise<void>((resolve, reject) => {
    redis.once('ready', resolve);
    redis.once('error', reject);
  });
  try {
    await withTimeout(ready, connectTimeoutMs, 'no answer');
    return redis;
  } catch (error) {
    redis.disconnect();
    throw new RedisAway({ cause: error });
  }
}

/** Redis cannot be reached, or does not answer. */
class RedisAway extends Error {
  constructor(options: ErrorOptions) {
    super('Redis cannot be reached, or does not answer.', options);
  }
}

function describe(error: unknown): { code: number; message: string } {
  if (error instanceof UsageError || error instanceof SettingsError)
    return { code: exitCodes.usage, message: error.message };
  if (error instanceof LimitReached)
    return {
      code: exitCodes.failed,
      message: `${error.field ? `--${error.field} ` : ''}${error.message}`,
    };
  if (error instanceof CommandFailed) {
    const why = error.cause === undefined ? undefined : serverProblemOf(error.cause);
    return why
      ? { code: exitCodes.away, message: `${why} ${error.message}` }
      : { code: exitCodes.failed, message: error.message };
  }
  if (error instanceof NotStarted) {
    const problem = databaseProblemOf(error.cause);
    const message = problem?.message ?? plainMessage(error.cause);
    const code =
      problem?.kind === 'wrong_key' ? exitCodes.usage : problem ? exitCodes.away : exitCodes.failed;
    return { code, message: `${message} Nothing was done.` };
  }
  if (error instanceof SealError) return { code: exitCodes.failed, message: error.message };
  const why = serverProblemOf(error);
  if (why)
    return {
      code: exitCodes.away,
      message: `${why} The command was broken off: what it had finished stays. Look at that before you run it again.`,
    };
  return { code: exitCodes.failed, message: `The command failed: ${plainMessage(error)}` };
}

function serverProblemOf(error: unknown): string | undefined {
  if (error instanceof RedisAway) return error.message;
  if (isRedisUnavailable(error)) return 'Redis stopped answering.';
  return databaseProblemOf(error)?.message;
}

const plainMessage = (error: unknown): string =>
  withoutPrismaInvocation(error instanceof Error ? error.message : String(error));

/** Versions and amounts are 64-bit integers in the database; all fit a JSON number. */
function showBigInt(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
