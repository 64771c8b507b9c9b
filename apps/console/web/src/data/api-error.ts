import type { ConsoleErrorCode, ErrorResponse } from './types.ts';

/** A response that is not a success; `unreachable` when there was no response. */
export class ApiError extends Error {
  readonly code: ConsoleErrorCode | 'unreachable';
  /** Why the request was refused; undefined when there was no response. */
  readonly reason: ErrorResponse['reason'] | undefined;
  /** The errors of the request's fields, by their path. */
  readonly fields: NonNullable<ErrorResponse['fields']>;
  /** The same errors in English. */
  readonly params: Record<string, string>;
  readonly requestId: string;

  constructor(response?: ErrorResponse) {
    super(response?.message ?? 'unreachable');
    this.code = response?.code ?? 'unreachable';
    this.reason = response?.reason;
    this.fields = response?.fields ?? {};
    this.params = response?.params ?? {};
    this.requestId = response?.request_id ?? '';
  }
}

/** Whether a password was wrong. The usual text also names the email, which some forms do not ask for. */
export const isWrongPassword = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'wrong_credentials';

/** Whether nothing was saved, because someone else changed the resource since it was read. */
export const isVersionConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'version_conflict';

const transient = new Set<ApiError['code']>(['unreachable', 'service_unavailable', 'internal_error']);

/** Whether a retry can solve it. A change can have been made all the same. */
export const isTransient = (error: unknown): boolean =>
  error instanceof ApiError && transient.has(error.code);
