import type { ErrorBody } from '@rewardhook/contract';

export const syncPath = '/api/open/orders/sync/';
export const bootPath = '/api/open/members/boot/';
export const linkPath = '/api/open/members/link/';

/** An answer of the API: its JSON is both what success and what an error looks like, to be looked at by the test. */
export interface Answer {
  status: number;
  headers: Headers;
  body: ErrorBody & { data: Record<string, unknown> };
  /** From the call to the whole answer, in milliseconds. */
  ms: number;
}

export interface CallOptions {
  key?: string | undefined;
  method?: string;
  headers?: Record<string, string>;
}

/** Calls the API with a body that is sent as it is when it is text or bytes, else as JSON. Redirects are answers. */
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
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? {} : JSON.parse(text)) as Answer['body'],
    ms: performance.now() - started,
  };
}
