import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { describeFieldError } from '@rewardhook/contract';
import {
  EditConflict,
  CursorError,
  LimitReached,
  databaseProblemOf,
  UnknownTimeZone,
} from '@rewardhook/database';
import type { Logger } from '@rewardhook/process';
import { RuleError } from '@rewardhook/rewards';
import type { ConsoleErrorCode, ErrorResponse } from '../api-types.ts';
import { ConsoleError, invalidRequest, notFound, versionConflict } from './console-error.ts';

/** The one place where an error gets its HTTP status. */
const statuses: Record<ConsoleErrorCode, number> = {
  invalid_request: 400,
  login_required: 401,
  wrong_credentials: 401,
  forbidden: 403,
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

/** Answers every error as `ErrorResponse`. What is logged is the error and the route, never what was sent. */
export function renderError(log: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const known = toConsoleError(error);
    const { code, message, params, retryAfter, conflict } = known;
    if (code === 'internal_error' || code === 'service_unavailable')
      log.error('a request could not be served', {
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
      ...(params ? { params } : {}),
      ...conflict,
      request_id: requestIdOf(response),
    };
    response.status(statuses[code]).json(body);
  };
}

/** Answers every path of the API that is not served. */
export const renderNotFound: RequestHandler = () => {
  throw notFound();
};

function requestIdOf(response: Response): string {
  return String(response.getHeader('x-request-id'));
}

function toConsoleError(error: unknown): ConsoleError {
  if (error instanceof ConsoleError) return error;
  if (error instanceof EditConflict) return fieldConflict(error.current);
  if (error instanceof LimitReached) return limitReached(error);
  if (error instanceof UnknownTimeZone)
    return invalidRequest({ timezone: 'must be a time zone such as Asia/Seoul' });
  if (error instanceof CursorError) return invalidRequest({ after: 'is not a cursor of this list' });
  if (error instanceof RuleError)
    return invalidRequest(
      Object.fromEntries(
        Object.entries(error.problems).map(([path, problem]) => [
          underRule(path),
          describeFieldError(problem),
        ]),
      ),
    );
  const { status, type, limit } = error as { status?: number; type?: string; limit?: number };
  if (type === 'entity.too.large')
    return new ConsoleError('payload_too_large', `The body must not be larger than ${limit} bytes.`);
  if (status !== undefined && status >= 400 && status < 500)
    return invalidRequest({ request: 'cannot be read' });
  if (databaseProblemOf(error))
    return new ConsoleError(
      'service_unavailable',
      'This cannot be served right now. Try again in a moment.',
      {
        retryAfter: 1,
        cause: error,
      },
    );
  return new ConsoleError('internal_error', 'Something went wrong on our side.', { cause: error });
}

/** The database's names of fields in the API's spelling: `eventTypes` is `event_types`. */
function fieldConflict(stored: Record<string, unknown>): ConsoleError {
  const current = Object.fromEntries(
    Object.entries(stored).map(([field, value]) => [
      field.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`),
      value,
    ]),
  );
  return versionConflict(current, Object.keys(current));
}

function limitReached({ message, field, retryAfterSeconds: retryAfter }: LimitReached): ConsoleError {
  if (field !== undefined) return invalidRequest({ [field]: message });
  return retryAfter === undefined
    ? new ConsoleError('conflict', message)
    : new ConsoleError('rate_limited', message, { retryAfter });
}

function underRule(path: string): string {
  return path === 'rule' ? path : `rule.${path}`;
}
