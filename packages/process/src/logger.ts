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
    info['error'] = stack ?? `${name}: ${message}`;
  }
  return info;
});
