/** Why a request is not served. */
export type RefusalCode =
  | 'invalid_request'
  | 'login_required'
  | 'cross_site'
  | 'not_found'
  | 'rate_limited'
  | 'internal_error'
  | 'service_unavailable';

/** A refusal that the caller is told of. The message is a fixed text: nothing a caller sent is part of it. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  /** Seconds after which another try makes sense. */
  readonly retryAfter: number | undefined;

  constructor(code: RefusalCode, message: string, retryAfter?: number) {
    super(message);
    this.code = code;
    this.retryAfter = retryAfter;
  }
}
