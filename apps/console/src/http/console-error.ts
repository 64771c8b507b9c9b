import type { ConsoleErrorCode } from '../api-types.ts';

/** A refusal that the caller is told of. `params` maps the path of each bad field to its error. */
export class ConsoleError extends Error {
  readonly code: ConsoleErrorCode;
  readonly params: Record<string, string> | undefined;
  /** Seconds after which another try makes sense. */
  readonly retryAfter: number | undefined;
  /** Of `version_conflict`: what is stored now, and the fields in which it differs from what the caller saw. */
  readonly conflict: { current: unknown; changed: string[] } | undefined;

  constructor(
    code: ConsoleErrorCode,
    message: string,
    more: {
      params?: Record<string, string>;
      retryAfter?: number;
      conflict?: { current: unknown; changed: string[] };
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.code = code;
    this.params = more.params;
    this.retryAfter = more.retryAfter;
    this.conflict = more.conflict;
  }
}

/** 400: a field is wrong. */
export function invalidRequest(params: Record<string, string>): ConsoleError {
  const fields = Object.keys(params).length;
  const message =
    fields === 1 ? 'A field of the request is wrong.' : `${fields} fields of the request are wrong.`;
  return new ConsoleError('invalid_request', message, { params });
}

/** 404, the same for what is not there and for what is another merchant's. */
export function notFound(): ConsoleError {
  return new ConsoleError('not_found', 'There is nothing here.');
}

/** 409: the present state does not allow it. */
export function conflict(message: string): ConsoleError {
  return new ConsoleError('conflict', message);
}

/** 409: somebody else has changed it since the caller read it. */
export function versionConflict(current: unknown, changed: string[]): ConsoleError {
  return new ConsoleError(
    'version_conflict',
    'Somebody else has changed this in the meantime. Nothing was changed.',
    { conflict: { current, changed } },
  );
}
