import { constants } from 'node:os';

/** Messages of BullMQ itself, which contain no values. */
const bullmqMessages = new Set(['job stalled more than allowable limit']);
const frame = /^\s+at .*?((?:apps|packages|node_modules)\/[\w@./+-]+\.[cm]?[jt]s:\d+:\d+)\)?$/;

/**
 * Describes a failure without its message, which can contain values: an SQL error quotes the row. What remains is the
 * class of the error and the code of the system or of PostgreSQL, if there is one. The message is in the worker's log.
 */
export function redactFailure(message: string, stack = ''): string {
  if (bullmqMessages.has(message)) return message;
  const name = /^([A-Za-z]{0,60}Error)\b/.exec(stack || message)?.[1] ?? 'Error';
  const code = codeIn(message);
  return `${name}${code ? ` ${code}` : ''} (the message is in the worker's log)`;
}

/** A stack without its message: the failure and the positions in the code. */
export function redactStack(stack: string): string {
  const lines = stack.split('\n');
  const frames = lines.flatMap((line) => frame.exec(line)?.[1] ?? []);
  return [redactFailure(stack), ...frames.map((position) => `    at ${position}`)].join('\n');
}

/** `ECONNREFUSED`, or an SQLSTATE such as `40P01` as Prisma writes it. */
function codeIn(message: string): string | undefined {
  const system = /\bE[A-Z0-9]{2,15}\b/.exec(message)?.[0];
  if (system !== undefined && system in constants.errno) return system;
  return /\bCode: `([0-9A-Z]{5})`/.exec(message)?.[1];
}
