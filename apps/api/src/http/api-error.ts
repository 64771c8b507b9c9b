import { describeFieldError } from '@rewardhook/contract';
import type { ErrorCode, FieldError } from '@rewardhook/contract';

/** Why a request was refused with 429 or 503, for the metric. */
export type RejectionCause =
  | 'overload'
  | 'body_budget'
  | 'merchant_body_budget'
  | 'orders_waiting'
  | 'key_requests'
  | 'merchant_requests'
  | 'key_orders'
  | 'address_requests'
  | 'unknown_keys'
  | 'new_members'
  | 'reads'
  | 'writes'
  | 'test_events'
  | 'paused'
  | 'unavailable';

/** What is wrong with each field, by its path: a field error, or the English text of a rule that only one route has. */
export type InvalidFields = Record<string, FieldError | string>;

/**
 * An error that is sent to the client. `fields` are the invalid fields of the request, and `orderIds` maps the path of an order in it
 * to its `order_id`.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly fields: InvalidFields | undefined;
  orderIds: Record<string, string> = {};
  /** Seconds after which the client may try again, where they are known. */
  retryAfterSeconds: number | undefined;
  /** Default: `unavailable` for 503. */
  rejectionCause: RejectionCause | undefined;

  constructor(code: ErrorCode, message: string, fields?: InvalidFields, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.fields = fields;
  }

  /** `params` of the answer: the error of each invalid field, by its path. */
  get params(): Record<string, string> | undefined {
    if (this.fields === undefined) return undefined;
    const texts = Object.entries(this.fields).map(
      ([path, error]) => [path, typeof error === 'string' ? error : describeFieldError(error)] as const,
    );
    return Object.fromEntries(texts);
  }
}

/** 503: PostgreSQL, Redis or memory is not available. The cause is logged, not sent. */
export function serviceUnavailable(message: string, cause?: unknown): ApiError {
  return new ApiError('service_unavailable', message, undefined, cause);
}

/** `Retry-After` of a paused merchant, in seconds. */
const pausedRetryAfterSeconds = 300;

/** 503: the operator has paused the merchant, who can ask `contact`. */
export function pausedByOperator(contact: string): ApiError {
  const error = new ApiError('service_unavailable', `This merchant is paused by the operator: ${contact}`);
  error.rejectionCause = 'paused';
  error.retryAfterSeconds = pausedRetryAfterSeconds;
  return error;
}

/** 503: more requests arrive than this process can handle. */
export function overloaded(): ApiError {
  const error = new ApiError(
    'service_unavailable',
    'More requests arrive than can be handled. Send the request again, with exponential backoff.',
  );
  error.rejectionCause = 'overload';
  return error;
}

/** 429: a limit is reached. `retryAfterSeconds` is the time until the next request may succeed. */
export function rateLimited(
  message: string,
  retryAfterSeconds: number,
  rejectionCause: RejectionCause,
): ApiError {
  const error = new ApiError('rate_limited', message);
  error.rejectionCause = rejectionCause;
  error.retryAfterSeconds = Math.max(1, Math.ceil(retryAfterSeconds));
  return error;
}

/** `Retry-After` of a merchant who has too many orders waiting, in seconds. */
const waitingRetryAfterSeconds = 5;

/** 429: the merchant has as much waiting as one merchant may have. */
export function tooManyWaiting(): ApiError {
  return rateLimited(
    'Too many of your orders wait to be stored. Send these again later.',
    waitingRetryAfterSeconds,
    'orders_waiting',
  );
}

/** 400: fields, parameters or headers of the request are invalid. */
export function invalidRequest(fields: InvalidFields, orderIds: Record<string, string> = {}): ApiError {
  const count = Object.keys(fields).length;
  const error = new ApiError(
    'invalid_request',
    count === 1 ? 'A field of the request is invalid.' : `${count} fields of the request are invalid.`,
    fields,
  );
  error.orderIds = orderIds;
  return error;
}

/** `order_ids` of a response, beside the paths of its errors or warnings; nothing when no order has a valid id. */
export function orderIdsField(orderIds: Record<string, string>): { order_ids?: Record<string, string> } {
  return Object.keys(orderIds).length > 0 ? { order_ids: orderIds } : {};
}
