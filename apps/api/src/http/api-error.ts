import type { ErrorCode } from '@rewardhook/contract';

/** A refusal that the caller is told of. `params` maps the path of each bad field to its error. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly params: Record<string, string> | undefined;
  /** Seconds after which the caller may try again, where they are known. */
  retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, params?: Record<string, string>, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.params = params;
  }
}

/** 429: too much of something. `retryAfterSeconds` is the time until there is room again. */
export function rateLimited(message: string, retryAfterSeconds: number): ApiError {
  const error = new ApiError('rate_limited', message);
  error.retryAfterSeconds = Math.max(1, Math.ceil(retryAfterSeconds));
  return error;
}

/** 400: the body or its form is wrong. */
export function invalidRequest(params: Record<string, string>): ApiError {
  const fields = Object.keys(params).length;
  return new ApiError(
    'invalid_request',
    fields === 1 ? 'A field of the request is wrong.' : `${fields} fields of the request are wrong.`,
    params,
  );
}
