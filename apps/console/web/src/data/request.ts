import { ApiError } from './api-error.ts';
import { basePathOf, shownMode } from '../app/mode.ts';
import type { Data, ErrorResponse } from './types.ts';

type Query = Record<string, string | number | boolean | undefined>;

/** The URL of an API route, on the side that the page shows, with its query. Undefined and empty values are omitted. */
export function apiPath(path: string, query: object = {}): string {
  const pairs = Object.entries(query as Query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  const search = new URLSearchParams(pairs).toString();
  return `/api/console${basePathOf(shownMode())}${path}${search && '?'}${search}`;
}

/** Reads one resource, unless `signal` aborts it. @throws ApiError */
export const read = <T>(path: string, query?: object, signal?: AbortSignal): Promise<T> =>
  call<T>('GET', apiPath(path, query), undefined, signal);

/** Sends a change. Resolves with undefined for 204. @throws ApiError */
export const change = <T>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body: object,
  query?: object,
): Promise<T> => call<T>(method, apiPath(path, query), body);

let shownMerchant: string | undefined;

/**
 * Sets the merchant that the page shows. Changes name it in a header, and the server refuses them when another merchant
 * was selected in another tab.
 */
export const setShownMerchant = (id: string | undefined): void => void (shownMerchant = id);

/** Sets it on the first load only. Input on the page belongs to that merchant until the page shows another one. */
export const setFirstShownMerchant = (id: string): void => void (shownMerchant ??= id);

/** Timeouts of requests in ms. Without them, a lost connection could go unnoticed for minutes. */
const timeouts = { read: 15_000, change: 180_000 };

async function call<T>(method: string, url: string, body?: object, signal?: AbortSignal): Promise<T> {
  const timeout = AbortSignal.timeout(body ? timeouts.change : timeouts.read);
  const response = await fetch(url, {
    method,
    credentials: 'same-origin',
    headers: body ? changeHeaders() : {},
    body: body ? JSON.stringify(body) : null,
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  }).catch(() => {
    throw new ApiError();
  });
  if (response.status === 204) return undefined as T;
  const data: unknown = await response.json().catch(() => undefined);
  if (response.ok && data) return (data as Data<T>).data;
  throw new ApiError(isErrorResponse(data) ? data : undefined);
}

function changeHeaders(): Record<string, string> {
  return {
    'content-type': 'application/json',
    'x-rewardhook-console': '1',
    ...(shownMerchant !== undefined && { 'x-rewardhook-merchant': shownMerchant }),
  };
}

function isErrorResponse(data: unknown): data is ErrorResponse {
  return typeof data === 'object' && data !== null && 'code' in data;
}
