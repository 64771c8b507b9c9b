import { describeDamagedArgument } from '@rewardhook/contract';
import {
  databaseProblemOf,
  DeliveryPaused,
  LimitReached,
  openDatabase,
  openSealer,
  SealError,
} from '@rewardhook/database';
import type { DatabaseProblem } from '@rewardhook/database';
import { checkDatabase } from '@rewardhook/database/operations';
import {
  connectProducer,
  disconnect,
  isRedisUnavailable,
  parseExpectedProcesses,
} from '@rewardhook/pipeline';
import type { Redis } from '@rewardhook/pipeline';
import {
  retentionDays,
  SettingsError,
  webhookLimits,
  withoutPrismaInvocation,
  withoutTrailingSlashes,
  withTimeout,
} from '@rewardhook/process';
import { availableParallelism, hostname, loadavg, userInfo } from 'node:os';
import { randomUUID } from 'node:crypto';
import { CommandFailed, UsageError } from './command.ts';
import { requireInstallation } from './commands/installation.ts';
import type { AdminContext, CommandResult } from './command.ts';
import { readAdminSettings } from './environment.ts';
import type { AdminSettings } from './environment.ts';
import { runCommand } from './run-command.ts';
import { parseCommandLine } from './parse-command-line.ts';
import type { ParsedCommand } from './parse-command-line.ts';
import { formatDocument } from './output/format-document.ts';
import { formatResult } from './output/format-result.ts';

/** The exit codes of the command line. `docs/operations/act.md` documents them. */
export const exitCodes = {
  done: 0,
  /** The command failed, or found a problem. */
  failed: 1,
  /** Wrong command, options or settings. */
  usage: 2,
  /** PostgreSQL or Redis is not available, or the database is not migrated. */
  unavailable: 3,
} as const;

/** Where the command line writes. */
export interface Output {
  out(text: string): void;
  warn(message: string): void;
  /** Present when the output is a terminal. */
  terminal?: {
    columns: number;
    /** Asks a question, where the input is one too. */ ask?(question: string): Promise<boolean>;
  };
}

const noLog = { info() {}, warn() {}, error() {} };

/** Timeouts of the connection to Redis and of closing the connections, in milliseconds. */
const connectTimeoutMs = 3_000;
const closeTimeoutMs = 2_000;

/** Runs one command and writes its document, as JSON or for a terminal, or a message about what to do. Returns the exit code. */
export async function runCommandLine(
  words: string[],
  environment: NodeJS.ProcessEnv,
  output: Output,
): Promise<number> {
  const { out, warn, terminal } = output;
  try {
    const damaged = describeDamagedArgument(words);
    if (damaged !== undefined) throw new UsageError(damaged);
    const parsed = parseCommandLine(words);
    if (parsed.kind === 'help') {
      warn(parsed.text);
      return exitCodes.done;
    }
    const { document, ok = true } = await run(parsed, environment, output);
    const json = JSON.stringify(document, showBigInt, 2);
    out(terminal && !parsed.json ? formatResult(parsed, json, terminal.columns) : `${json}\n`);
    return ok ? exitCodes.done : exitCodes.failed;
  } catch (error) {
    const { code, message } = describe(error);
    warn(message);
    return code;
  }
}

async function run(
  parsed: ParsedCommand,
  environment: NodeJS.ProcessEnv,
  { out, warn, terminal }: Output,
): Promise<CommandResult> {
  if (parsed.command.preview && !parsed.yes && !parsed.dryRun && !terminal?.ask)
    throw new UsageError(
      'Nothing was changed: the command asks first, and there is no terminal. Run it with --yes, or with --dry-run to see what it would do.',
    );
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
    const context: AdminContext = {
      database,
      sealer,
      queuePrefix: settings.QUEUE_PREFIX,
      secretsKey: settings.SECRETS_KEY,
      allowLoopbackHttp: settings.WEBHOOK_ALLOW_LOOPBACK,
      webhookLimits,
      retention: retentionDays(settings),
      expectedProcesses: parseExpectedProcesses(settings.EXPECTED_PROCESSES),
      consoleUrl: withoutTrailingSlashes(settings.CONSOLE_PUBLIC_URL),
      async redis({ anyInstallation = false } = {}) {
        connection ??= await connected(settings);
        if (!anyInstallation) await requireInstallation(connection, context);
        return connection;
      },
      warn,
      ask: terminal && askAt(terminal, out),
    };
    return await runCommand(parsed, context, {
      name: parsed.operator ?? settings.REWARDHOOK_OPERATOR ?? systemUser(),
      host: hostname(),
      requestId: randomUUID(),
    });
  } finally {
    const closing = Promise.all([connection && disconnect(connection), database.$disconnect()]);
    // The process ends soon: a connection that does not close in time is dropped with it.
    await withTimeout(closing, closeTimeoutMs, 'the connections did not close').catch(() => undefined);
  }
}

/** Shows a preview and asks; undefined when the input is no terminal. */
function askAt({ ask, columns }: NonNullable<Output['terminal']>, out: Output['out']): AdminContext['ask'] {
  return (
    ask &&
    ((preview) => {
      out(`${formatDocument(JSON.stringify(preview), columns)}\n\n`);
      return ask('Continue? [y/N] ');
    })
  );
}

/** The user of the operating system. A user id without a name has none. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** The command did not start, because of `cause`. Nothing was changed. */
class NotStarted extends Error {
  constructor(cause: unknown) {
    super('the command did not start', { cause });
  }
}

const noAnswer = 'Redis did not answer';

async function connected({ REDIS_URL: url }: AdminSettings): Promise<Redis> {
  const redis = connectProducer(url, noLog);
  const ready = new Promise<void>((resolve, reject) => {
    redis.once('ready', resolve);
    redis.once('error', reject);
  });
  try {
    await withTimeout(ready, connectTimeoutMs, noAnswer);
    return redis;
  } catch (error) {
    redis.disconnect();
    throw new RedisUnavailable({ cause: error });
  }
}

/** Redis cannot be reached, refuses the connection, or does not answer in time. */
class RedisUnavailable extends Error {
  constructor(options: { cause: unknown }) {
    super(describeRedisProblem(options.cause), options);
  }
}

function describeRedisProblem(cause: unknown): string {
  const { name = '', message = '' } = cause instanceof Error ? cause : {};
  // An error reply, such as that the database of REDIS_URL does not exist.
  if (name === 'ReplyError') return `Redis refuses the connection: ${message}.`;
  const isLate = message === noAnswer || /timed out|timeout/i.test(message);
  return isLate ? slow('Redis is slow: it did not answer in time.') : 'Redis cannot be reached.';
}

/** Adds to a message that a server was slow whether this host is: then the server may be well. */
function slow(message: string): string {
  const [load = 0] = loadavg();
  const processors = availableParallelism();
  if (load < 1.5 * processors) return message;
  return `${message} This host has a load of ${load.toFixed(1)} on ${processors} processors, which makes everything on it slow.`;
}

function describe(error: unknown): { code: number; message: string } {
  if (error instanceof UsageError || error instanceof SettingsError)
    return { code: exitCodes.usage, message: error.message };
  if (error instanceof LimitReached)
    return {
      code: exitCodes.failed,
      message: `${error.field ? `--${error.field} ` : ''}${error.message}`,
    };
  if (error instanceof DeliveryPaused) return { code: exitCodes.failed, message: error.message };
  if (error instanceof CommandFailed) {
    const why = error.cause === undefined ? undefined : serverProblemOf(error.cause);
    return why
      ? { code: exitCodes.unavailable, message: `${why} ${error.message}` }
      : { code: exitCodes.failed, message: error.message };
  }
  if (error instanceof NotStarted) {
    const problem = databaseProblemOf(error.cause);
    const message = problem ? messageOf(problem) : plainMessage(error.cause);
    const code =
      problem?.kind === 'wrong_key' ? exitCodes.usage : problem ? exitCodes.unavailable : exitCodes.failed;
    return { code, message: `${message} Nothing was done.` };
  }
  if (error instanceof SealError) return { code: exitCodes.failed, message: error.message };
  const why = serverProblemOf(error);
  if (why)
    return {
      code: exitCodes.unavailable,
      message: `${why} The command was interrupted. What it finished until then stays: check it before you run the command again.`,
    };
  return { code: exitCodes.failed, message: `The command failed: ${plainMessage(error)}` };
}

/** The message about a server that is not available; undefined when the error has another cause. */
function serverProblemOf(error: unknown): string | undefined {
  if (error instanceof RedisUnavailable) return error.message;
  if (isRedisUnavailable(error)) return 'Redis stopped answering.';
  const problem = databaseProblemOf(error);
  return problem && messageOf(problem);
}

const messageOf = ({ kind, message }: DatabaseProblem): string => (kind === 'slow' ? slow(message) : message);

const plainMessage = (error: unknown): string =>
  withoutPrismaInvocation(error instanceof Error ? error.message : String(error));

/** Versions and amounts are 64-bit integers in the database. All of them fit a JSON number. */
function showBigInt(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
