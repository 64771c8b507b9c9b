import type { Database, Sealer } from '@rewardhook/database';
import type { Redis } from '@rewardhook/pipeline';
import type { WebhookLimits } from '@rewardhook/process';

/** What a command works with. */
export interface AdminContext {
  database: Database;
  sealer: Sealer;
  queuePrefix: string;
  /** SECRETS_KEY; limits of logins are counted by keys derived from it. */
  secretsKey: string;
  allowLoopbackHttp: boolean;
  /** Limits of webhooks, test events and replays. */
  webhookLimits: WebhookLimits;
  /** Where browsers reach the console, without a slash at the end. */
  consoleUrl: string;
  /** Connects to Redis when a command needs it. @throws when Redis is away */
  redis(): Promise<Redis>;
  warn(message: string): void;
}

/** One command: its options with a word of help each, and what it does. `run` returns the JSON document. */
export interface Command<R extends string = string, P extends string = string> {
  does: string;
  required: Record<R, string>;
  optional?: Record<P, string>;
  run(options: Record<R, string> & { [K in P]?: string }, context: AdminContext): Promise<Answer>;
}

/** The JSON document of a command; `ok` false makes the exit code 1. */
export interface Answer {
  document: unknown;
  ok?: boolean;
}

/** A mistake of the caller: shown as it is, without a stack. Exit code 2. */
export class UsageError extends Error {}

/**
 * What was asked for could not be done, or not to its end; the message says what was done, and what to do. Exit code 1, or
 * 3 when the cause is a server that is away.
 */
export class CommandFailed extends Error {}

/** Declares a command; ties the options' names to what `run` receives. */
export function command<R extends string, P extends string = never>(definition: Command<R, P>): Command {
  return definition;
}
