import { ApiError } from './api-error.ts';
import type { Data, ErrorResponse } from './types.ts';

type Query = Record<string, string | number | undefined>;

/** The path of an API route with its query; what is undefined or empty is left out. */
export function apiPath(path: string, query: object = {}): string {
  const pairs = Object.entries(query as Query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  const search = new URLSearchParams(pairs).toString();
  return `/api/console${path}${search && '?'}${search}`;
}

/** Reads one resource. @throws ApiError */
export const read = <T>(path: string, query?: object): Promise<T> => call<T>('GET', apiPath(path, query));

/** Changes something; the answer is undefined for 204. @throws ApiError */
export const change = <T>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
  query?: object,
): Promise<T> => call<T>(method, apiPath(path, query), body ?? {});

let shownMerchant: string | undefined;

/** Says which merchant the page shows: changes name it, so that none is made to one that was chosen beside the page. */
export const showMerchant = (id: string | undefined): void => void (shownMerchant = id);

/** The same for the first one; what is filled in is for that one until the page is told to show another. */
export const showFirstMerchant = (id: string): void => void (shownMerchant ??= id);

/** How long an answer is waited for, in ms: a connection that is gone may be silent for minutes. */
const patience = { reading: 15_000, changing: 180_000 };

async function call<T>(method: string, url: string, body?: object): Promise<T> {
  const response = await fetch(url, {
    method,
    credentials: 'same-origin',
    headers: body ? headersOfChange() : {},
    body: body ? JSON.stringify(body) : null,
    signal: AbortSignal.timeout(body ? patience.changing : patience.reading),
  }).catch(() => {
    throw new ApiError();
  });
  if (response.status === 204) return undefined as T;
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok && answer) return (answer as Data<T>).data;
  throw new ApiError(isErrorResponse(answer) ? answer : undefined);
}

function headersOfChange(): Record<string, string> {
  return {
    'content-type': 'application/json',
    'x-rewardhook-console': '1',
    ...(shownMerchant !== undefined && { 'x-rewardhook-merchant': shownMerchant }),
  };
}

function isErrorResponse(answer: unknown): answer is ErrorResponse {
  return typeof answer === 'object' && answer !== null && 'code' in answer;
}
