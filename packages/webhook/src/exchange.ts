import type { ClientRequest, IncomingMessage } from 'node:http';
import { AttemptFailure, classifyError, describeError, type ConnectTimings } from './attempt-failure.ts';
import {
  millisecondsSince,
  type AttemptError,
  type AttemptResult,
  type AttemptSending,
  type AttemptTimings,
} from './attempt-result.ts';
import type { Connections, ConnectionUse } from './connections.ts';
import { readResponse, withoutBody, type RawResponse } from './read-response.ts';

/** Limits of one exchange: durations in ms, the bytes that are read, and the bytes that are kept. */
export type ExchangeLimits = {
  exchangeTimeoutMs: number;
  /** From the head of the response to the end of its body. */
  bodyTimeoutMs: number;
  maxResponseBytes: number;
  keepResponseBytes: number;
};

/** Informational responses such as 103 Early Hints are skipped, up to this number. */
const maxInformational = 16;

/** The body of a response without one. */
const noBytes = Buffer.alloc(0);

/** Sends the request of an exchange: on a connection that may have been used before, or on a new one. */
export type SendOn = (connection: { onNewConnection: boolean }) => ClientRequest;

/**
 * One request and its response. It settles exactly once. Until the head of a response is there: with an error, at the
 * deadline, or when aborted. From then on its result is that response, whatever follows: it settles at the end of the body, at
 * the size limit, on an error, when aborted, or when the time for the body is over.
 */
export class Exchange {
  readonly #limits: ExchangeLimits;
  readonly #requestHeaders: Record<string, string>;
  readonly #settle: (result: AttemptResult) => void;
  readonly #started = performance.now();
  readonly #deadline: NodeJS.Timeout;
  #stopListening: (() => void) | undefined;
  #settled = false;
  #request: ClientRequest | undefined;
  #connectTimings: ConnectTimings = {};
  #reused = false;
  #retried = false;
  #sentAt = 0;
  #headAt = 0;
  #bodyDeadline: NodeJS.Timeout | undefined;
  #informational = 0;
  #response: IncomingMessage | undefined;
  #firstByteMs = 0;
  #chunks: Buffer[] = [];
  #length = 0;
  /** What was wrong with the response after its head; the first one counts. */
  #warning: string | undefined;

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

  /**
   * Sends the request, unless the exchange has settled while it waited, and calls `ended` when it uses no connection any
   * more. A reused connection that breaks before the response begins was usually closed by the server while it was idle: the
   * request is then sent once more, on a new one.
   */
  send(sendOn: SendOn, useOf: Connections['useOf'], ended: () => void, onNewConnection = false): void {
    if (this.#settled) return ended();
    let again = false;
    const request = sendOn({ onNewConnection });
    this.#request = request;
    request.on('socket', (socket) => this.#use(useOf(socket)));
    request.on('information', () => {
      if (++this.#informational > maxInformational) this.fail(new AttemptFailure('http', 'no final status'));
    });
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      this.fail(new AttemptFailure('http', 'the server switched to another protocol'));
    });
    request.on('response', (response) => this.#receive(response));
    request.on('error', (error) => {
      again = this.#mayRetry(error);
      // The response ends with its connection, after what was received of it has been read.
      if (this.#response) this.#warning ??= describeError(error);
      else if (!again) this.fail(error);
    });
    request.once('close', () => {
      if (!again) return ended();
      this.#retried = true;
      this.#sentAt = 0;
      this.send(sendOn, useOf, ended, true);
    });
  }

  /** Settles the exchange with an error, or with the response if its head was received; has no effect when it is settled. */
  fail(error: unknown): void {
    if (this.#response) this.#finish(describeError(error));
    else if (this.#end()) this.#settle(this.#errorResult(error));
    this.#request?.destroy();
  }

  #use(use: ConnectionUse): void {
    this.#sentAt = performance.now();
    this.#reused = use.requests > 0;
    if (!this.#reused) this.#connectTimings = use.timings;
    use.requests += 1;
  }

  #mayRetry(error: unknown): boolean {
    if (!this.#reused || this.#retried || this.#settled || this.#response !== undefined) return false;
    return classifyError(error) === 'reset' || beginsNoResponse(error);
  }

  #receive(response: IncomingMessage): void {
    this.#response = response;
    this.#headAt = performance.now();
    this.#firstByteMs = millisecondsSince(this.#sentAt);
    const { bodyTimeoutMs } = this.#limits;
    this.#bodyDeadline = setTimeout(
      () => this.#finish(`the body did not end within ${bodyTimeoutMs} ms`),
      bodyTimeoutMs,
    );
    response.on('data', (chunk: Buffer) => this.#read(chunk));
    // Before the listener of Node, which may close the connection. One that is closed, and not by the server, was followed by bytes.
    response.prependListener('end', () => {
      const { destroyed, readableEnded } = response.socket;
      if (destroyed && !readableEnded) this.#warning ??= 'more bytes followed the response';
    });
    response.on('error', (error) => (this.#warning ??= describeError(error)));
    response.on('close', () => this.#finish(response.complete ? undefined : 'the body is not complete'));
  }

  #read(chunk: Buffer): void {
    if (this.#settled) return;
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    const { maxResponseBytes } = this.#limits;
    if (this.#length > maxResponseBytes) this.#finish(`the body is longer than ${maxResponseBytes} bytes`);
  }

  /** Settles with the response as far as it was received. The connection is closed unless the response is complete. */
  #finish(warning?: string): void {
    const response = this.#response;
    if (!response || !this.#end()) return;
    this.#warning ??= warning;
    const raw = this.#rawResponse(response);
    readResponse(raw).then(this.#settle, (error: unknown) =>
      this.#settle(withoutBody(raw, describeError(error))),
    );
    if (!response.complete) this.#request?.destroy();
  }

  #rawResponse({ statusCode = 0, headers, complete }: IncomingMessage): RawResponse {
    const { keepResponseBytes: keepBytes, maxResponseBytes } = this.#limits;
    const body = this.#length === 0 ? noBytes : Buffer.concat(this.#chunks).subarray(0, maxResponseBytes);
    this.#chunks = [];
    const cut = !complete || this.#length > maxResponseBytes;
    const warning = this.#warning;
    const problem = warning === undefined ? {} : { warning };
    return { status: statusCode, headers, body, cut, keepBytes, ...problem, ...this.#sent() };
  }

  #errorResult(error: unknown): AttemptError {
    if (error instanceof AttemptFailure && this.#sentAt === 0) this.#connectTimings = error.connectTimings;
    return {
      result: 'error',
      errorClass: classifyError(error),
      message: describeError(error),
      ...this.#sent(),
    };
  }

  #sent(): AttemptSending {
    return {
      timings: this.#timings(),
      connectionReused: this.#reused,
      retriedOnNewConnection: this.#retried,
      ...((this.#sentAt !== 0 || this.#retried) && { requestHeaders: this.#requestHeaders }),
    };
  }

  /** True for the first caller only. */
  #end(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    clearTimeout(this.#deadline);
    clearTimeout(this.#bodyDeadline);
    this.#stopListening?.();
    return true;
  }

  #expire(): void {
    const what = this.#response ? 'no complete answer' : this.#sentAt === 0 ? 'no connection' : 'no answer';
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

/** Whether bytes came that begin no response: on a reused connection, what followed the response before. */
function beginsNoResponse(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'HPE_INVALID_CONSTANT';
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
