import type { AuditAction, Database, Sealer } from '@rewardhook/database';
import type { ExpectedProcess, Redis } from '@rewardhook/pipeline';
import type { RetentionPolicy, WebhookLimits } from '@rewardhook/process';

/** What commands depend on. */
export interface AdminContext {
  database: Database;
  sealer: Sealer;
  queuePrefix: string;
  /** SECRETS_KEY. The keys of the sign-in limits are derived from it. */
  secretsKey: string;
  allowLoopbackHttp: boolean;
  /** Limits of webhooks, test events and replays. */
  webhookLimits: WebhookLimits;
  /** For how many days rows are kept. */
  retention: RetentionPolicy;
  /** The processes that should run. */
  expectedProcesses: ExpectedProcess[];
  /** Base URL of the console, without a trailing slash. */
  consoleUrl: string;
  /**
   * Connects to Redis on its first call. With `anyInstallation`, the queues may belong to another database.
   * @throws when Redis is not available; CommandFailed when the queues belong to another database
   */
  redis(options?: { anyInstallation?: boolean }): Promise<Redis>;
  warn(message: string): void;
  /** Shows what a command will do, and asks whether to do it. Undefined without a terminal. */
  ask?: ((preview: Preview) => Promise<boolean>) | undefined;
}

/** What a command will do. */
export interface Preview {
  /** A sentence about the command, such as "Deletes the webhook …". */
  what: string;
  /** What it affects. */
  counts: Record<string, number>;
}

/** `base-version` as `baseVersion`: the key of an option's value. */
type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/** The values of a command's options. */
type OptionValues<R extends string, P extends string> = { [K in R as CamelCase<K>]: string } & {
  [K in P as CamelCase<K>]?: string;
};

/** A command: what it does, its options with their descriptions, and its function. */
export interface Command<R extends string = string, P extends string = string, F extends string = string> {
  description: string;
  /** What the audit records of a run; null when the command changes nothing and shows no secret. */
  audit: AuditAction | null;
  required: Record<R, string>;
  optional?: Record<P, string>;
  /** Options without a value. */
  flags?: Record<F, string>;
  /**
   * What a run would do, of a command that takes something away: it asks before it runs, unless `--yes` was given, and has
   * `--dry-run`. Changes nothing. @throws UsageError, CommandFailed
   */
  preview?(options: OptionValues<R, P | F>, context: AdminContext): Promise<Preview>;
  /** @throws UsageError, CommandFailed */
  run(options: OptionValues<R, P | F>, context: AdminContext): Promise<CommandResult>;
}

/** The document that a command prints. With `ok` false the exit code is 1. */
export interface CommandResult {
  document: unknown;
  ok?: boolean;
}

/** The command was called with wrong options. Its message is printed without a stack; the exit code is 2. */
export class UsageError extends Error {}

/**
 * The command failed, or did part of its work. The message says what was done and what to do next. The exit code is 1,
 * or 3 when `cause` is a server that is not available.
 */
export class CommandFailed extends Error {}

/** Declares a command. The names of its options type the argument of `run`. */
export function command<R extends string, P extends string = never, F extends string = never>(
  definition: Command<R, P, F>,
): Command {
  return definition;
}
