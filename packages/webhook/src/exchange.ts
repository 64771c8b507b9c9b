import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { listenForAbort } from './abort-listeners.ts';
import { AttemptFailure, type ConnectTimings } from './attempt-failure.ts';
import {
  millisecondsSince,
  type AttemptError,
  type AttemptResult,
  type AttemptSending,
  type AttemptTimings,
} from './attempt-result.ts';
import { classifyError } from './classify-error.ts';
import { describeError } from './describe-error.ts';
import { addBeginning, readAnswer, type RawAnswer } from './read-answer.ts';
import { headersOfHead } from './sent-head.ts';
import type { Connection } from './tracked-client.ts';

/** Limits of one exchange: ms for all of it, bytes read off the wire, bytes kept. */
export type ExchangeLimits = {
  exchangeTimeoutMs: number;
  maxResponseBytes: number;
  keepResponseBytes: number;
};

/** 103 Early Hints and the like are skipped; a server that sends nothing else is not answering. */
const maxInformational = 16;

/**
 * One request and its answer, as undici's handler. It settles exactly once, whatever undici does or does
 * not do: at the end of the answer, at its size limit, on an error, at the deadline, or when aborted.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: ExchangeLimits;
  readonly #settle: (outcome: AttemptResult) => void;
  readonly #started = performance.now();
  readonly #deadline: NodeJS.Timeout;
  #stopListening: (() => void) | undefined;
  #settled = false;
  /** undici is done with it: the connection may already carry another request. */
  #ended = false;
  #connection: Connection | undefined;
  #connectTimings: ConnectTimings = {};
  #reused = false;
  #head: string | undefined;
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
    signal: AbortSignal | undefined,
    settle: (outcome: AttemptResult) => void,
  ) {
    this.#limits = limits;
    this.#settle = settle;
    this.#deadline = setTimeout(() => this.#expire(), limits.exchangeTimeoutMs);
    const aborted = (): void => this.fail(new AttemptFailure('aborted', 'the attempt was aborted'));
    if (signal) this.#stopListening = listenForAbort(signal, aborted);
  }

  /** False when it is over already: there is no point in connecting for it. */
  readonly onConnectionChosen = (connection: Connection): boolean => {
    this.#connection = connection;
    return !this.#settled;
  };

  onRequestStart(): void {
    // Settled while it waited for a connection: throwing keeps it from being sent, and the socket open.
    if (this.#settled) throw new AttemptFailure('aborted', 'the attempt was over before it was sent');
    this.#sentAt = performance.now();
    const connection = this.#connection;
    if (connection) {
      this.#reused = connection.requests > 0;
      if (!this.#reused) this.#connectTimings = connection.timings;
      connection.requests += 1;
      connection.onHead = (head) => (this.#head ??= head);
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
    this.#ended = true;
    this.#finish(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#ended = true;
    this.fail(error);
  }

  /** Ends the exchange with an error outcome; without effect when it is over. */
  fail(error: unknown): void {
    if (!this.#end()) return;
    this.#tell(this.#errorOutcome(error));
    this.#breakOff();
  }

  /** With what had come of the answer. */
  #tell(failed: AttemptError): void {
    if (failed.status === undefined) this.#settle(failed);
    else void addBeginning(failed, this.#raw(failed.status, true)).then(this.#settle);
  }

  #finish(cut: boolean): void {
    const status = this.#status;
    if (status === undefined || !this.#end()) return;
    // undici takes its socket back in a check phase of the event loop. An outcome that came earlier would
    // send the next request of a queue to a second connection.
    const settle = (outcome: AttemptResult): unknown => setImmediate(this.#settle, outcome);
    readAnswer(this.#raw(status, cut)).then(settle, (error: unknown) => settle(this.#errorOutcome(error)));
    if (cut) this.#breakOff();
  }

  /** The answer as far as it came. */
  #raw(status: number, cut: boolean): RawAnswer {
    const body = Buffer.concat(this.#chunks).subarray(0, this.#limits.maxResponseBytes);
    // The connection remembers its last exchange; it need not keep the answer too.
    this.#chunks = [];
    const keepBytes = this.#limits.keepResponseBytes;
    return { status, headers: this.#headers, body, cut, keepBytes, ...this.#sent() };
  }

  #errorOutcome(error: unknown): AttemptError {
    if (error instanceof AttemptFailure && this.#sentAt === 0) this.#connectTimings = error.connectTimings;
    return {
      result: 'error',
      errorClass: classifyError(error),
      message: describeError(error),
      ...(this.#status !== undefined && { status: this.#status }),
      ...this.#sent(),
    };
  }

  /** Once it is on a connection; while it waits for one there is nothing to break off, and others need that one. */
  #breakOff(): void {
    if (this.#sentAt !== 0 && !this.#ended) this.#connection?.breakOff();
  }

  #sent(): AttemptSending {
    const requestHeaders = this.#head === undefined ? undefined : headersOfHead(this.#head);
    return {
      timings: this.#timings(),
      connectionReused: this.#reused,
      ...(requestHeaders && { requestHeaders }),
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
