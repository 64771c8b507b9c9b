import type { ErrorBody } from '@rewardhook/contract';
import { waitFor } from '@rewardhook/testing';

export const syncPath = '/api/open/orders/sync/';
export const bootPath = '/api/open/members/boot/';
export const linkPath = '/api/open/members/link/';

/** A response of the API. The type of its body allows both a success and an error. */
export interface Answer {
  status: number;
  headers: Headers;
  body: ErrorBody & { data: Record<string, unknown> };
  /** The time from the call to the end of the response, in milliseconds. */
  ms: number;
}

export interface CallOptions {
  key?: string | undefined;
  method?: string;
  headers?: Record<string, string>;
}

/** Calls the API. A body of text or bytes is sent unchanged, any other as JSON. Redirects are not followed. */
export async function callApi(
  url: string,
  path: string,
  body: unknown,
  { key, method = 'POST', headers }: CallOptions = {},
): Promise<Answer> {
  const started = performance.now();
  const raw = typeof body === 'string' || body instanceof Uint8Array || body === undefined;
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'x-service-key': key }),
      ...headers,
    },
    ...(method === 'GET' || method === 'HEAD'
      ? {}
      : { body: raw ? ((body as string | undefined) ?? null) : JSON.stringify(body) }),
  });
  const text = await response.text();
  // A dead share link is a page.
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson ? JSON.parse(text) : {}) as Answer['body'],
    ms: performance.now() - started,
  };
}

/**
 * Calls the API as the contract tells clients: a request that is refused with 503, for load or because Redis has not answered
 * within a second, is sent again. Not for tests of overload or of an outage.
 * @throws when every answer for 10 s is 503
 */
export function callWithRetries(...call: Parameters<typeof callApi>): Promise<Answer> {
  const answer = async () => {
    const received = await callApi(...call);
    return received.status === 503 ? undefined : received;
  };
  return waitFor(answer, { what: 'an answer other than 503' });
}

/** The User-Agent of a person's browser, which share links do not take for a robot. */
export const browserUserAgent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
