import type { ConsoleErrorCode, ErrorResponse } from './types.ts';

/** An answer that is no success; `unreachable` when there was none. */
export class ApiError extends Error {
  readonly code: ConsoleErrorCode | 'unreachable';
  /** Problems of the request's fields by their path. */
  readonly params: Record<string, string>;
  readonly requestId: string;
  /** Seconds until it may be tried again, where the server said so. */
  readonly retryAfter: number | null;

  constructor(
    answer: Partial<Omit<ErrorResponse, 'code'>> & { code: ApiError['code'] },
    retryAfter: number | null = null,
  ) {
    super(answer.message ?? answer.code);
    this.code = answer.code;
    this.params = answer.params ?? {};
    this.requestId = answer.request_id ?? '';
    this.retryAfter = retryAfter;
  }
}

/** A password did not fit. Where the e-mail is not asked for, or is new, the usual sentence would mislead. */
export const isWrongPassword = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'wrong_credentials';

/** Somebody else has changed it since it was read, and nothing was saved. */
export const isVersionConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'version_conflict';
