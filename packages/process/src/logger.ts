import { createLogger as createWinston, format, transports } from 'winston';
import type { Logger } from 'winston';
import { limitRepeats } from './limit-repeats.ts';

/** The logger of a process: a winston logger. */
export type { Logger };

/** The part of a logger that packages write to. */
export interface Log {
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/**
 * Opens the logger of a process. It writes one JSON object per line to stdout: `{timestamp, level, service, message, …}`.
 * An `error` field is written with its stack. Warnings and errors that an outage repeats are limited.
 */
export function createLogger(service: string, level: string): Logger {
  return createWinston({
    level,
    defaultMeta: { service },
    format: format.combine(withoutRepeats(), format.timestamp(), errorFields(), format.json()),
    transports: [new transports.Console()],
  });
}

/**
 * Leaves out warnings and errors that an outage repeats: those with an `error`, when their message and that of the error
 * are alike, numbers aside, and others when they are identical. What happens to one merchant, endpoint or mail is no
 * outage, and is always written. The next line has the number of those left out as `suppressed`.
 */
const withoutRepeats = format((info) => {
  if (info.level !== 'warn' && info.level !== 'error') return info;
  limits ??= limitRepeats();
  const { level, message, ...fields } = info as {
    level: 'warn' | 'error';
    message: unknown;
    error?: unknown;
  };
  const { error } = fields;
  const cause = error instanceof Error ? error.message : typeof error === 'string' ? error : undefined;
  const decision =
    cause === undefined
      ? limits('error', `${String(message)} ${JSON.stringify(fields)}`, performance.now())
      : limits(
          level,
          `${String(message)} ${withoutPrismaInvocation(cause).slice(0, 200)}`.replace(/\d+/g, '0'),
          performance.now(),
        );
  if (!decision.write) return false;
  if (decision.suppressed > 0) info['suppressed'] = decision.suppressed;
  return info;
});

/** Of this process. */
let limits: ReturnType<typeof limitRepeats> | undefined;

/** Turns an `error` field into a string: JSON.stringify would write an Error as `{}`. */
const errorFields = format((info) => {
  if (info['error'] instanceof Error) {
    const { name, message, stack } = info['error'];
    const plain = withoutPrismaInvocation(message);
    info['error'] = plain === message ? (stack ?? `${name}: ${message}`) : `${name}: ${plain}`;
  }
  return info;
});

/** An error message of Prisma without the call and the code excerpt that it begins with; any other message unchanged. */
export function withoutPrismaInvocation(message: string): string {
  if (!/^\s*Invalid `[^`]*` invocation/.test(message)) return message;
  return message.trimEnd().split('\n').at(-1)?.trim() ?? message;
}
