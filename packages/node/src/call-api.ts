import { setTimeout as wait } from 'node:timers/promises';
import { RewardhookError } from './rewardhook-error.ts';
import type { ErrorDetails } from './rewardhook-error.ts';

/** How often and how long a call that failed temporarily is retried. */
export interface RetryOptions {
  /** Attempts in total, 1 or more. Default 6. */
  attempts?: number;
  /** The delay before the second attempt; it doubles with each further one. Default 500 ms. */
  firstDelayMs?: number;
  /** Maximum delay of the backoff. Default 30,000 ms. */
  maxDelayMs?: number;
  /**
   * Maximum delay after an answer with `Retry-After`; a longer one ends the call with the error. Default 300,000 ms, which is that of
   * a merchant that the operator has paused.
   */
  maxRetryAfterMs?: number;
}

/** Where the API is, and how it is called. */
export interface CallSettings {
  /** Without a slash at the end. */
  apiUrl: string;
  secretKey: string;
  /** Maximum duration of an attempt. */
  timeoutMs: number;
  retry: Required<RetryOptions>;
}

/** One call of the API. */
export interface Call {
  method: 'GET' | 'POST';
  path: string;
  /** Undefined values are left out. */
  query?: Readonly<Record<string, string | number | boolean | Date | undefined>>;
  /** JSON. A function is called before each attempt; when it returns undefined, the call ends without one. */
  body?: string | (() => string | undefined);
  headers?: Readonly<Record<string, string>>;
  /** Changes what an error names, such as the indexes of orders. */
  mapDetails?: (details: ErrorDetails) => ErrorDetails;
  /** Whether the call may be repeated after an attempt without an answer. Default true. */
  repeatable?: boolean;
  signal?: AbortSignal | undefined;
  /** Runs an attempt when it may begin. Default: at once. */
  schedule?: (attempt: () => Promise<unknown>) => Promise<unknown>;
}

/**
 * Calls the API and returns the JSON of its answer, undefined when `body` ended the call. After a temporary failure the call
 * is repeated: after `Retry-After`, and with exponential backoff and jitter.
 * @throws RewardhookError, or the reason of `signal`
 */
export async function callApi(settings: CallSettings, call: Call): Promise<unknown> {
  const { attempts, maxRetryAfterMs } = settings.retry;
  const { schedule = (attempt: () => Promise<unknown>) => attempt(), signal } = call;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await schedule(() => attemptOnce(settings, call));
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof RewardhookError) || !isTemporary(error, call) || attempt >= attempts)
        throw error;
      const retryAfterMs = 1_000 * (error.retryAfterSeconds ?? 0);
      if (retryAfterMs > maxRetryAfterMs) throw error;
      const delayMs = Math.max(backoffMs(attempt, settings.retry), retryAfterMs);
      await wait(delayMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
    }
  }
}

/** Whether a call may succeed later: after the limits, outages and faults of the API, and of proxies in front of it. */
function isTemporary({ code, status = 0 }: RewardhookError, { repeatable = true }: Call): boolean {
  if (status === 408 || status === 429 || status === 503) return true;
  return repeatable && (code === 'unreachable' || status >= 500);
}

/** Between half of the full delay and all of it, so that clients that failed together do not return together. */
function backoffMs(attempt: number, { firstDelayMs, maxDelayMs }: Required<RetryOptions>): number {
  return Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
}

async function attemptOnce({ apiUrl, secretKey, timeoutMs }: CallSettings, call: Call): Promise<unknown> {
  const { method, path, query = {}, headers, mapDetails = (details) => details, signal } = call;
  const body = typeof call.body === 'function' ? call.body() : call.body;
  if (typeof call.body === 'function' && body === undefined) return undefined;
  const url = new URL(apiUrl + path);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined)
      url.searchParams.set(name, value instanceof Date ? value.toISOString() : String(value));
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method,
      headers: {
        accept: 'application/json',
        'x-service-key': secretKey,
        'user-agent': 'rewardhook-node',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
      // A redirect would take the secret key to another server.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    });
    text = await response.text();
  } catch (cause) {
    const reason = timeout.aborted ? `there was no answer within ${timeoutMs} ms` : describe(cause);
    throw new RewardhookError('unreachable', `Rewardhook cannot be reached at ${url.origin}: ${reason}.`, {
      cause,
    });
  }
  return readAnswer(response, text, mapDetails);
}

/** The message of the innermost cause: fetch itself only says "fetch failed". */
function describe(error: unknown): string {
  const { cause, message } = error as Partial<Error>;
  return cause === undefined ? (message ?? String(error)) : describe(cause);
}

/** @throws RewardhookError unless the answer is a JSON object with a status of success */
function readAnswer(
  response: Response,
  text: string,
  mapDetails: (details: ErrorDetails) => ErrorDetails,
): unknown {
  const body = parseObject(text);
  if (response.ok && body) return body;
  const { status, headers } = response;
  const retryAfter = headers.get('retry-after') ?? '';
  const details = {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined,
  };
  if (typeof body?.['code'] !== 'string')
    throw new RewardhookError(
      'unexpected_response',
      `The answer, with status ${status}, is not from Rewardhook. Check apiUrl, and proxies in front of it.`,
      details,
    );
  const { code, message, params, order_ids: orderIds } = body as unknown as ErrorBody;
  const mapped = mapDetails({ ...details, params, orderIds });
  // Logs often show only the message, so it has the first invalid fields.
  const fields = Object.entries(mapped.params ?? {}).slice(0, 3);
  const sentences = [message, ...fields.map(([field, problem]) => `${field} ${problem}.`)];
  throw new RewardhookError(code, sentences.join(' '), mapped);
}

/** The JSON of an error of the API. */
interface ErrorBody {
  code: string;
  message: string;
  params?: Record<string, string>;
  order_ids?: Record<string, string>;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
