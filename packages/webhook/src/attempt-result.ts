import type { AttemptErrorClass } from '@rewardhook/contract';

/**
 * Milliseconds, with two decimals. `dnsMs`, `connectMs` and `tlsMs` are set only when the attempt opened its connection.
 * `firstByteMs` runs from the request to the head of the response, `bodyMs` from there to the end.
 */
export type AttemptTimings = {
  totalMs: number;
  dnsMs?: number;
  connectMs?: number;
  tlsMs?: number;
  firstByteMs?: number;
  bodyMs?: number;
};

/** What every result has: timings, the connection, and the request as it was sent. */
export type AttemptSending = {
  timings: AttemptTimings;
  /**
   * Whether the request used a connection that had carried one before. Also false when nothing was sent: to count
   * connections, look only at results with `requestHeaders`.
   */
  connectionReused: boolean;
  /** Whether a reused connection broke before a response began, so that the request was sent once more, on a new one. */
  retriedOnNewConnection: boolean;
  /** The headers that were set, `host` and `content-length` included; `connection` is added. Absent when no request was sent. */
  requestHeaders?: Record<string, string>;
};

/** A response with any status, even if its body did not end as it should. Redirects are not followed. */
export type AttemptResponse = AttemptSending & {
  result: 'response';
  status: number;
  /** From `Retry-After`: 1 … 86,400. */
  retryAfterSeconds?: number;
  /** At most 40 headers, names in lower case; no cookies. */
  responseHeaders: Record<string, string>;
  /** The beginning of the body as text that PostgreSQL can store, at most `keepResponseBytes` of UTF-8. */
  responseBody: string;
  /** True when `responseBody` is not the complete body. */
  truncated: boolean;
  /** What was wrong after the head of the response: short, without secrets. */
  warning?: string;
};

/** No response. `message` is short and contains no secrets. */
export type AttemptError = AttemptSending & {
  result: 'error';
  errorClass: AttemptErrorClass;
  message: string;
};

/** The result of one request. */
export type AttemptResult = AttemptResponse | AttemptError;

/** Whether the receiver accepted the delivery: it answered with 2xx. */
export function isDelivered(attempt: AttemptResult): boolean {
  return attempt.result === 'response' && attempt.status >= 200 && attempt.status < 300;
}

/** Whether the body of a response is a JSON object with `"ignored": true`. */
function saysIgnored(body: string): boolean {
  // Most bodies do not, so they are not parsed.
  if (!body.includes('"ignored"')) return false;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && (value as { ignored?: unknown }).ignored === true;
  } catch {
    return false;
  }
}

/** A result in the columns of the table `attempts`. */
export type AttemptColumns = {
  status: number | null;
  errorClass: AttemptErrorClass | null;
  errorMessage: string | null;
  timings: AttemptTimings;
  responseBody: string | null;
  /** What was wrong with the response; null when nothing was. */
  warning: string | null;
  retriedOnNewConnection: boolean;
  /** Whether the receiver answered 2xx and said that it does not handle the type of the event. */
  ignored: boolean;
  /** As sent; null when nothing was sent. */
  requestHeaders: Record<string, string> | null;
  /** The first headers of a response that is not 2xx, at most 2 KiB of names and values; otherwise null. */
  responseHeaders: Record<string, string> | null;
};

const keptHeaderBytes = 2_048;

function firstHeaders(headers: Record<string, string>): Record<string, string> {
  let bytes = 0;
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => {
      bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
      return bytes <= keptHeaderBytes;
    }),
  );
}

/** Maps a result to the columns of the table `attempts`. */
export function attemptColumns(attempt: AttemptResult): AttemptColumns {
  const answered = attempt.result === 'response';
  return {
    status: answered ? attempt.status : null,
    errorClass: answered ? null : attempt.errorClass,
    errorMessage: answered ? null : attempt.message,
    timings: attempt.timings,
    responseBody: answered ? attempt.responseBody : null,
    warning: (answered ? attempt.warning : undefined) ?? null,
    retriedOnNewConnection: attempt.retriedOnNewConnection,
    ignored: answered && isDelivered(attempt) && saysIgnored(attempt.responseBody),
    requestHeaders: attempt.requestHeaders ?? null,
    responseHeaders: answered && !isDelivered(attempt) ? firstHeaders(attempt.responseHeaders) : null,
  };
}

/** Milliseconds since a `performance.now()` value, with two decimals. */
export function millisecondsSince(start: number): number {
  return Math.round((performance.now() - start) * 100) / 100;
}
