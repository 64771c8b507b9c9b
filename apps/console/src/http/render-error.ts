import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { describeFieldError, describeLimit, isLimit } from '@rewardhook/contract';
import type { FieldError, Limit } from '@rewardhook/contract';
import {
  CursorError,
  databaseProblemOf,
  DeliveryPaused,
  EditConflict,
  LimitReached,
  UnknownTimeZone,
} from '@rewardhook/database';
import type { Logger } from '@rewardhook/process';
import { TermsError } from '@rewardhook/rewards';
import type { ConsoleErrorCode, ErrorResponse } from '../api-types.ts';
import {
  ConsoleError,
  invalidField,
  invalidRequest,
  limitReached,
  notFound,
  refuse,
  versionConflict,
} from './console-error.ts';
import type { BadFields } from './console-error.ts';

/** The HTTP status of each error code. */
const statuses: Record<ConsoleErrorCode, number> = {
  invalid_request: 400,
  login_required: 401,
  wrong_credentials: 401,
  forbidden: 403,
  password_required: 403,
  csrf_refused: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  version_conflict: 409,
  mail_not_configured: 409,
  merchant_changed: 409,
  payload_too_large: 413,
  rate_limited: 429,
  internal_error: 500,
  service_unavailable: 503,
};

/** Answers every error with an `ErrorResponse`. Logs the error and the route, never the content of the request. */
export function renderError(log: Logger, onLimited: (limit: string) => void): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const known = toConsoleError(error);
    const { code, message, reason, fields, retryAfter, conflict, limit } = known;
    if (limit !== undefined) onLimited(limit);
    if (code === 'internal_error' || code === 'service_unavailable')
      log.error('the request failed', {
        code,
        method: request.method,
        requestId: requestIdOf(response),
        error: known.cause ?? known,
      });
    if (response.headersSent) return void response.destroy();
    if (retryAfter !== undefined) response.set('retry-after', String(retryAfter));
    const body: ErrorResponse = {
      code,
      message,
      reason,
      ...(fields ? { params: describeFields(fields), fields } : {}),
      ...conflict,
      request_id: requestIdOf(response),
    };
    response.status(statuses[code]).json(body);
  };
}

/** Answers every unknown path of the API. */
export const renderNotFound: RequestHandler = () => {
  throw notFound();
};

function requestIdOf(response: Response): string {
  return String(response.getHeader('x-request-id'));
}

function describeFields(fields: BadFields): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([path, error]) => [path, describe(error)]));
}

function describe(error: FieldError | Limit): string {
  return isLimit(error) ? describeLimit(error) : describeFieldError(error);
}

function toConsoleError(error: unknown): ConsoleError {
  if (error instanceof ConsoleError) return error;
  if (error instanceof EditConflict) return fieldConflict(error.current);
  if (error instanceof LimitReached) {
    const { limit, field, retryAfterSeconds } = error;
    return field === undefined ? limitReached(limit, retryAfterSeconds) : invalidRequest({ [field]: limit });
  }
  if (error instanceof DeliveryPaused) return refuse('delivery_paused', { contact: error.contact });
  if (error instanceof UnknownTimeZone) return invalidField('timezone', 'not_a_time_zone');
  if (error instanceof CursorError) return invalidField('after', 'cursor');
  if (error instanceof TermsError) return invalidTerms(error.problems);
  const { status, type, limit } = error as { status?: number; type?: string; limit?: number };
  if (type === 'entity.too.large') return refuse('payload_too_large', { limit: limit ?? 0 });
  if (status !== undefined && status >= 400 && status < 500) return invalidField('request', 'unreadable');
  if (databaseProblemOf(error)) return refuse('service_unavailable', {}, { retryAfter: 1, cause: error });
  return refuse('internal_error', {}, { cause: error });
}

/** The database's names of fields in the spelling of the API: `eventTypes` is `event_types`. */
function fieldConflict(stored: Record<string, unknown>): ConsoleError {
  const current = Object.fromEntries(
    Object.entries(stored).map(([field, value]) => [
      field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
  return versionConflict(current, Object.keys(current));
}

function invalidTerms(problems: TermsError['problems']): ConsoleError {
  return invalidRequest(
    Object.fromEntries(
      Object.entries(problems).map(([path, problem]) => [path === 'terms' ? path : `terms.${path}`, problem]),
    ),
  );
}
