import { createLogger as createWinston, format, transports } from 'winston';
import type { Logger } from 'winston';

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
 * An `error` field is written with its stack.
 */
export function createLogger(service: string, level: string): Logger {
  return createWinston({
    level,
    defaultMeta: { service },
    format: format.combine(format.timestamp(), errorFields(), format.json()),
    transports: [new transports.Console()],
  });
}

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
