/**
 * Why an attempt has no complete answer. `dns`: the name does not resolve. `blocked`: the URL or every
 * address behind it is not allowed. `connect`: nobody accepts the connection. `tls`: the handshake or the
 * certificate failed. `timeout`: a limit was reached. `reset`: the connection broke. `http`: the answer is
 * not HTTP, or breaks a bound. `aborted`: our own side stopped it.
 */
export type AttemptErrorClass =
  'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'http' | 'blocked' | 'aborted';

/**
 * Milliseconds, two decimals. `dnsMs`, `connectMs` and `tlsMs` only when the attempt made its connection;
 * `firstByteMs` from sending the request to the answer's head; `bodyMs` from there to the end.
 */
export type AttemptTimings = {
  totalMs: number;
  dnsMs?: number;
  connectMs?: number;
  tlsMs?: number;
  firstByteMs?: number;
  bodyMs?: number;
};

/** What became known about the sending, whatever came back. */
export type AttemptSending = {
  timings: AttemptTimings;
  /**
   * Whether the request went out on a connection that had carried one before. False, too, when nothing was
   * sent: count connections only where there are `requestHeaders`.
   */
  connectionReused: boolean;
  /**
   * The headers exactly as they were handed to the connection: names and values, with `host`, `connection` and
   * `content-length` that the client adds. Absent when no request was sent.
   */
  requestHeaders?: Record<string, string>;
};

/** An answer with its status, whatever it is: redirects are not followed, and a 500 is an answer too. */
export type AttemptResponse = AttemptSending & {
  result: 'response';
  status: number;
  /** From `Retry-After`: 1 … 86,400. */
  retryAfterSeconds?: number;
  /** At most 40 headers, lower-case names; no cookies. */
  responseHeaders: Record<string, string>;
  /** The beginning of the body as text PostgreSQL can keep, at most `keepResponseBytes` of UTF-8. */
  responseBody: string;
  /** True when `responseBody` is not the whole body. */
  truncated: boolean;
};

/**
 * No complete answer. `message` is short and without secrets; `status` is there when the head had come. A
 * `reset` on a reused connection without a status may only mean that the server had given it up.
 */
export type AttemptError = AttemptSending & {
  result: 'error';
  errorClass: AttemptErrorClass;
  message: string;
  status?: number;
  /** What had come of the answer behind its head; see {@link AttemptResponse}. */
  retryAfterSeconds?: number;
  responseBody?: string;
};

/** What became of one POST. */
export type AttemptResult = AttemptResponse | AttemptError;

/** Milliseconds since a `performance.now()` mark, two decimals. */
export function millisecondsSince(mark: number): number {
  return Math.round((performance.now() - mark) * 100) / 100;
}
