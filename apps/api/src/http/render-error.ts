import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import type { ErrorBody, ErrorCode } from '@rewardhook/contract';
import { IntakeUnavailable, TooManyWaiting } from '@rewardhook/pipeline';
import { recordOf } from '@rewardhook/process';
import type { Logger } from '@rewardhook/process';
import { ApiError, invalidRequest, orderIdsField, serviceUnavailable, tooManyWaiting } from './api-error.ts';
import type { RejectionCause } from './api-error.ts';

/** The HTTP status of each error code. */
export const statuses: Record<ErrorCode, number> = {
  invalid_request: 400,
  invalid_api_key: 401,
  secret_key_required: 401,
  public_key_required: 401,
  origin_not_allowed: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  already_linked: 409,
  referral_cycle: 409,
  member_not_linked: 409,
  reward_exists: 409,
  reward_ended: 409,
  limit_exceeded: 409,
  revocation_not_notified: 409,
  idempotency_key_reused: 409,
  orders_due: 409,
  cursor_expired: 410,
  payload_too_large: 413,
  rate_limited: 429,
  internal_error: 500,
  service_unavailable: 503,
};

/** Default of `Retry-After`, in seconds. */
const defaultRetryAfterSeconds = '1';

/**
 * Sends every error in the contract's format. Outages and unexpected errors are logged. `onRefused` is called for each
 * response 429 and 503, `onError` for each error.
 */
export function renderError(
  log: Logger,
  onRefused: (reason: RejectionCause) => void,
  onError: (response: Response, code: ErrorCode) => void,
): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    const known = toApiError(error);
    const rejectionCause = rejectionCauseOf(known);
    if (rejectionCause) onRefused(rejectionCause);
    response.locals['error'] = known;
    onError(response, known.code);
    if (rejectionCause === 'overload')
      log.warn('requests are refused because of overload', { route: recordOf(response).route });
    else if (isOutage(known))
      log.error('a request could not be served', {
        code: known.code,
        // Not the path: it can have ids of members.
        route: recordOf(response).route,
        requestId: requestIdOf(response),
        error: known.cause ?? known,
      });
    if (response.headersSent) return void response.destroy();
    if (known.retryAfterSeconds !== undefined) response.set('retry-after', String(known.retryAfterSeconds));
    else if (known.code === 'service_unavailable') response.set('retry-after', defaultRetryAfterSeconds);
    const body: ErrorBody = {
      code: known.code,
      message: known.message,
      ...(known.fields && { params: known.params }),
      ...orderIdsField(known.orderIds),
      request_id: requestIdOf(response),
    };
    response.status(statuses[known.code]).json(body);
  };
}

/** The error that was sent; undefined when the request was not refused. */
export const errorOf = (response: Response): ApiError | undefined =>
  response.locals['error'] as ApiError | undefined;

/** Answers requests for unknown paths. */
export const renderNotFound: RequestHandler = (request) => {
  throw new ApiError('not_found', `There is nothing at ${request.method} ${request.path.slice(0, 100)}.`);
};

/** Answers requests with another method than the allowed one. */
export function renderMethodNotAllowed(allowed: string): RequestHandler {
  return (_request, response) => {
    response.set('allow', allowed);
    throw new ApiError('method_not_allowed', `Use ${allowed}.`);
  };
}

function requestIdOf(response: Response): string {
  return String(response.getHeader('x-request-id'));
}

function rejectionCauseOf({ code, rejectionCause }: ApiError): RejectionCause | undefined {
  return code === 'service_unavailable' ? (rejectionCause ?? 'unavailable') : rejectionCause;
}

/** Whether a request failed for a fault of ours. A pause is not an outage. */
const isOutage = ({ code, rejectionCause }: ApiError): boolean =>
  code === 'internal_error' || (code === 'service_unavailable' && rejectionCause !== 'paused');

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof IntakeUnavailable)
    return serviceUnavailable(
      'The orders could not be queued. Send them again, with exponential backoff.',
      error,
    );
  if (error instanceof TooManyWaiting) return tooManyWaiting();
  if (error instanceof URIError) return invalidRequest({ path: 'must be UTF-8, percent-encoded' });
  return new ApiError('internal_error', 'Something went wrong on our side.', undefined, error);
}
