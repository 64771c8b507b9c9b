/** Why a request is refused. */
export type DashboardErrorCode =
  | 'invalid_request'
  | 'login_required'
  | 'cross_site'
  | 'not_found'
  | 'rate_limited'
  | 'internal_error'
  | 'service_unavailable';

/** A refused request. The message is a fixed text: it repeats nothing that the client sent. */
export class DashboardError extends Error {
  readonly code: DashboardErrorCode;
  /** Seconds after which another try makes sense. */
  readonly retryAfter: number | undefined;

  constructor(code: DashboardErrorCode, message: string, retryAfter?: number) {
    super(message);
    this.code = code;
    this.retryAfter = retryAfter;
  }
}
