import { createLogger as createWinston, format, transports } from 'winston';
import type { Logger } from 'winston';

export type { Logger };

/** JSON lines on stdout: `{timestamp, level, service, message, …}`. Errors are printed with their stack. */
export function createLogger(service: string, level: string): Logger {
  return createWinston({
    level,
    defaultMeta: { service },
    format: format.combine(format.timestamp(), errorFields(), format.json()),
    transports: [new transports.Console()],
  });
}

/** Turns an `error` field into text: JSON would print an Error as `{}`. */
const errorFields = format((info) => {
  if (info['error'] instanceof Error) {
    const { name, message, stack } = info['error'];
    const plain = withoutPrismaInvocation(message);
    info['error'] = plain === message ? (stack ?? `${name}: ${message}`) : `${name}: ${plain}`;
  }
  return info;
});

/** A message of Prisma's without the call and the excerpt of our code that it begins with; any other as it is. */
export function withoutPrismaInvocation(message: string): string {
  if (!/^\s*Invalid `[^`]*` invocation/.test(message)) return message;
  return message.trimEnd().split('\n').at(-1)?.trim() ?? message;
}
