import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { AttemptFailure, classifyError, describeError, type ConnectTimings } from './attempt-failure.ts';
import {
  millisecondsSince,
  type AttemptError,
  type AttemptResult,
  type AttemptSending,
  type AttemptTimings,
} from './attempt-result.ts';
import { addPartialResponse, readResponse, type RawResponse } from './read-response.ts';
import type { Connection, ConnectionUser } from './connections.ts';

/** Limits of one exchange: its duration in ms, the bytes that are read, and the bytes that are kept. */
export type ExchangeLimits = {
  exchangeTimeoutMs: number;
  maxResponseBytes: number;
  keepResponseBytes: number;
};

/** Informational responses such as 103 Early Hints are skipped, up to this number. */
const maxInformational = 16;

/** The body of a response without one. */
const noBytes = Buffer.alloc(0);

/**
 * One request and its response, as a handler of undici. It settles exactly once, whichever callbacks undici calls: at
 * the end of the response, at its size limit, on an error, at the deadline, or when aborted.
 */
export class Exchange implements ConnectionUser {
  readonly #limits: ExchangeLimits;
  readonly #requestHeaders: Record<string, string>;
  readonly #settle: (result: AttemptResult) => void;
  readonly #started = performance.now();
  readonly #deadline: NodeJS.Timeout;
  #stopListening: (() => void) | undefined;
  #settled = false;
  #connection: Connection | undefined;
  #connectTimings: ConnectTimings = {};
  #reused = false;
  #sentAt = 0;
  #headAt = 0;
  #informational = 0;
  #status: number | undefined;
  #headers: IncomingHttpHeaders = {};
  #firstByteMs = 0;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(
    limits: ExchangeLimits,
    requestHeaders: Record<string, string>,
    signal: AbortSignal | undefined,
    settle: (result: AttemptResult) => void,
  ) {
    this.#limits = limits;
    this.#requestHeaders = requestHeaders;
    this.#settle = settle;
    this.#deadline = setTimeout(() => this.#expire(), limits.exchangeTimeoutMs);
    const aborted = (): void => this.fail(new AttemptFailure('aborted', 'the attempt was aborted'));
    if (signal) this.#stopListening = listenForAbort(signal, aborted);
  }

  /** Whether it has a result. */
  isSettled(): boolean {
    return this.#settled;
  }

  /** The connection that will carry the request. */
  use(connection: Connection): void {
    this.#connection = connection;
  }

  onRequestStart(): void {
    this.#sentAt = performance.now();
    const connection = this.#connection;
    if (connection) {
      this.#reused = connection.requests > 0;
      if (!this.#reused) this.#connectTimings = connection.timings;
      connection.requests += 1;
    }
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (this.#settled) return;
    if (status < 200) {
      if (++this.#informational > maxInformational) this.fail(new AttemptFailure('http', 'no final status'));
      return;
    }
    this.#status = status;
    this.#headers = headers;
    this.#headAt = performance.now();
    this.#firstByteMs = millisecondsSince(this.#sentAt);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length > this.#limits.maxResponseBytes) this.#finish(true);
  }

  onResponseEnd(): void {
    this.#release();
    this.#finish(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  /** Settles the exchange with an error; has no effect when it is settled already. */
  fail(error: unknown): void {
    if (!this.#end()) return;
    this.#settleWith(this.#errorResult(error));
    this.#breakOff();
  }

  /** Settles with an error and the part of the response that was received. */
  #settleWith(failed: AttemptError): void {
    if (failed.status === undefined) this.#settle(failed);
    else void addPartialResponse(failed, this.#rawResponse(failed.status, true)).then(this.#settle);
  }

  #finish(cut: boolean): void {
    const status = this.#status;
    if (status === undefined || !this.#end()) return;
    readResponse(this.#rawResponse(status, cut)).then(this.#settle, (error: unknown) =>
      this.#settle(this.#errorResult(error)),
    );
    if (cut) this.#breakOff();
  }

  /** The response as far as it was received. */
  #rawResponse(status: number, cut: boolean): RawResponse {
    const body =
      this.#length === 0 ? noBytes : Buffer.concat(this.#chunks).subarray(0, this.#limits.maxResponseBytes);
    this.#chunks = [];
    const keepBytes = this.#limits.keepResponseBytes;
    return { status, headers: this.#headers, body, cut, keepBytes, ...this.#sent() };
  }

  #errorResult(error: unknown): AttemptError {
    if (error instanceof AttemptFailure && this.#sentAt === 0) this.#connectTimings = error.connectTimings;
    return {
      result: 'error',
      errorClass: classifyError(error),
      message: describeError(error),
      ...(this.#status !== undefined && { status: this.#status }),
      ...this.#sent(),
    };
  }

  /** Closes the connection, if there is one for this request. */
  #breakOff(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.breakOff();
  }

  #release(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.release();
  }

  #sent(): AttemptSending {
    return {
      timings: this.#timings(),
      connectionReused: this.#reused,
      ...(this.#sentAt !== 0 && { requestHeaders: this.#requestHeaders }),
    };
  }

  /** True for the first caller only. */
  #end(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    clearTimeout(this.#deadline);
    this.#stopListening?.();
    return true;
  }

  #expire(): void {
    const what =
      this.#sentAt === 0 ? 'no connection' : this.#status === undefined ? 'no answer' : 'no complete answer';
    const message = `${what} within ${this.#limits.exchangeTimeoutMs} ms`;
    this.fail(new AttemptFailure('timeout', message, this.#connectTimings));
  }

  #timings(): AttemptTimings {
    const timings: AttemptTimings = { totalMs: millisecondsSince(this.#started), ...this.#connectTimings };
    if (this.#headAt !== 0) {
      timings.firstByteMs = this.#firstByteMs;
      timings.bodyMs = millisecondsSince(this.#headAt);
    }
    return timings;
  }
}

const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `listener` when `signal` aborts, and returns a function that removes it. Attempts that share a signal (a job's, or
 * the process's own) share one event listener: Node warns from the eleventh on, and searches all of them for each new one.
 */
function listenForAbort(signal: AbortSignal, listener: () => void): () => void {
  let waiting = listeners.get(signal);
  if (!waiting) {
    const all = (waiting = new Set());
    listeners.set(signal, all);
    signal.addEventListener('abort', () => all.forEach((call) => call()), { once: true });
  }
  const shared = waiting;
  shared.add(listener);
  return () => shared.delete(listener);
}
