/** The error codes of the API that a server can receive, see the error table of its documentation. */
export type ApiErrorCode =
  | 'invalid_request'
  | 'invalid_api_key'
  | 'secret_key_required'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'already_linked'
  | 'referral_cycle'
  | 'member_not_linked'
  | 'reward_exists'
  | 'reward_ended'
  | 'limit_exceeded'
  | 'revocation_not_notified'
  | 'idempotency_key_reused'
  | 'orders_due'
  | 'cursor_expired'
  | 'payload_too_large'
  | 'rate_limited'
  | 'internal_error'
  | 'service_unavailable';

/**
 * The `code` of a {@link RewardhookError}: that of the API; `unreachable` without a response; `unexpected_response` for one
 * that is not from the API, such as the page of a proxy. An API of a later version can have further codes.
 */
export type RewardhookErrorCode = ApiErrorCode | 'unreachable' | 'unexpected_response' | (string & {});

/** What is known about a call that failed. */
export interface ErrorDetails {
  status?: number | undefined;
  params?: Readonly<Record<string, string>> | undefined;
  orderIds?: Readonly<Record<string, string>> | undefined;
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

/** A call that failed. Temporary failures have been retried before. */
export class RewardhookError extends Error {
  override readonly name = 'RewardhookError';
  readonly code: RewardhookErrorCode;
  /** The HTTP status; undefined without a response. */
  readonly status: number | undefined;
  /** The path of each invalid field → its error. An index of `orders` is that of the list that was given. */
  params: Readonly<Record<string, string>> | undefined;
  /** The paths of the orders in `params`, such as `orders[3]`, and their `order_id`. */
  orderIds: Readonly<Record<string, string>> | undefined;
  /** Name it when you ask the operator of the service about the call. */
  readonly requestId: string | undefined;
  /** The seconds after which the call may succeed, where the API sent `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;
  /** Of `orders.send`: how many orders the requests before this one have stored. */
  acceptedCount: number | undefined;

  constructor(code: RewardhookErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.params = details.params;
    this.orderIds = details.orderIds;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}
