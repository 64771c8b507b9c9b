import type { AttemptErrorClass } from './attempt-result.ts';

/** Milliseconds of the steps that make a connection; `tlsMs` only for https. */
export type ConnectTimings = { dnsMs?: number; connectMs?: number; tlsMs?: number };

/** A failure whose class is known where it happens, with what was measured until then. */
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
