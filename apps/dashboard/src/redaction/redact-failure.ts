import { constants } from 'node:os';

/** What BullMQ itself writes, without any value in it. */
const ownWords = new Set(['job stalled more than allowable limit']);
const frame = /^\s+at .*?((?:apps|packages|node_modules)\/[\w@./+-]+\.[cm]?[jt]s:\d+:\d+)\)?$/;

/**
 * Tells what failed without its message, which can carry values: an SQL error quotes the row. Left are the
 * error's class and, when it has one, the system's or PostgreSQL's code; the message is in the worker's log.
 */
export function redactFailure(message: string, stack = ''): string {
  if (ownWords.has(message)) return message;
  const name = /^([A-Za-z]{0,60}Error)\b/.exec(stack || message)?.[1] ?? 'Error';
  const code = codeIn(message);
  return `${name}${code ? ` ${code}` : ''} (its message is in the worker's log)`;
}

/** A stack without its message: what failed, and the places in the code. */
export function redactStack(stack: string): string {
  const lines = stack.split('\n');
  const places = lines.flatMap((line) => frame.exec(line)?.[1] ?? []);
  return [redactFailure(stack), ...places.map((place) => `    at ${place}`)].join('\n');
}

/** `ECONNREFUSED`, or an SQLSTATE such as `40P01` in the words of Prisma. */
function codeIn(message: string): string | undefined {
  const system = /\bE[A-Z0-9]{2,15}\b/.exec(message)?.[0];
  if (system !== undefined && system in constants.errno) return system;
  return /\bCode: `([0-9A-Z]{5})`/.exec(message)?.[1];
}
