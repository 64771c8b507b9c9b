import { AttemptFailure } from './attempt-failure.ts';
import type { AttemptErrorClass } from './attempt-result.ts';

const classOfCode: Record<string, AttemptErrorClass> = {
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  EHOSTUNREACH: 'reset',
  ENETUNREACH: 'reset',
  ETIMEDOUT: 'timeout',
  UND_ERR_SOCKET: 'reset',
  UND_ERR_DESTROYED: 'aborted',
  UND_ERR_CLOSED: 'aborted',
};

/** The class of whatever error ended an exchange. */
export function classifyError(error: unknown): AttemptErrorClass {
  if (error instanceof AttemptFailure) return error.errorClass;
  const { code = '', message } = error as NodeJS.ErrnoException;
  // A server that asks for a client certificate says so only after the TLS 1.3 handshake.
  if (/^ERR_(SSL|TLS)/.test(code)) return 'tls';
  // undici calls an unasked protocol switch or a stray 100 Continue "bad upgrade" and "bad response".
  if (code === 'UND_ERR_SOCKET' && message.startsWith('bad ')) return 'http';
  return classOfCode[code] ?? 'http';
}
