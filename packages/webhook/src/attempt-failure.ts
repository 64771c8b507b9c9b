import type { AttemptErrorClass } from '@rewardhook/contract';

/** Milliseconds of the steps that open a connection; `tlsMs` only for https. */
export type ConnectTimings = { dnsMs?: number; connectMs?: number; tlsMs?: number };

/** A failure whose class is known where it happens, with the timings measured until then. */
export class AttemptFailure extends Error {
  readonly errorClass: AttemptErrorClass;
  readonly connectTimings: ConnectTimings;

  constructor(errorClass: AttemptErrorClass, message: string, connectTimings: ConnectTimings = {}) {
    super(message);
    this.name = 'AttemptFailure';
    this.errorClass = errorClass;
    this.connectTimings = connectTimings;
  }
}

const classOfCode = new Map<string, AttemptErrorClass>(
  Object.entries({
    ECONNRESET: 'reset',
    EPIPE: 'reset',
    EHOSTUNREACH: 'reset',
    ENETUNREACH: 'reset',
    ETIMEDOUT: 'timeout',
  }),
);

/** The class of any error that ended an exchange. */
export function classifyError(error: unknown): AttemptErrorClass {
  if (error instanceof AttemptFailure) return error.errorClass;
  const { code = '' } = error as NodeJS.ErrnoException;
  // With TLS 1.3, a server that requires a client certificate fails the connection only after the handshake.
  if (/^ERR_(SSL|TLS)/.test(code)) return 'tls';
  return classOfCode.get(code) ?? 'http';
}

/** Longest message stored with an attempt, in characters. */
const maxMessageLength = 200;

/** One short printable line about an error: its message and code, without a stack. */
export function describeError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const text = code && !message.includes(code) ? `${message || 'failed'} (${code})` : message;
  return text
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, maxMessageLength);
}
