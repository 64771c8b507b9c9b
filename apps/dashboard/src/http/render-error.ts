import type { ErrorRequestHandler, RequestHandler } from 'express';
import { isRedisUnavailable } from '@rewardhook/pipeline';
import type { Logger } from '@rewardhook/process';
import { DashboardError } from './dashboard-error.ts';
import type { DashboardErrorCode } from './dashboard-error.ts';

/** The one place where an error gets its HTTP status. */
const statuses: Record<DashboardErrorCode, number> = {
  invalid_request: 400,
  login_required: 401,
  cross_site: 403,
  not_found: 404,
  rate_limited: 429,
  internal_error: 500,
  service_unavailable: 503,
};

/** Answers every error: with JSON below `/api` and where it is accepted, else with a small page or plain text. */
export function renderError(log: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const { code, message, retryAfter } = toDashboardError(error);
    if (code === 'internal_error')
      log.error('the request failed', { method: request.method, path: request.path, error });
    if (response.headersSent) return void response.destroy();
    if (code === 'login_required')
      response.set('www-authenticate', 'Basic realm="Rewardhook dashboard", charset="UTF-8"');
    if (retryAfter !== undefined) response.set('retry-after', String(retryAfter));
    response.status(statuses[code]);
    // The board displays `error`.
    const json = () => void response.json({ code, error: message });
    if (request.path.startsWith('/api/')) return json();
    response.format({
      text: () => response.send(`${message}\n`),
      html: () => response.send(page(message)),
      json,
      default: () => response.type('text').send(`${message}\n`),
    });
  };
}

/** Answers every path that is not served. */
export const renderNotFound: RequestHandler = () => {
  throw new DashboardError('not_found', 'Not found.');
};

function page(message: string): string {
  return `<!doctype html><html lang="en"><title>Rewardhook dashboard</title><p>${message}</p></html>\n`;
}

function toDashboardError(error: unknown): DashboardError {
  if (error instanceof DashboardError) return error;
  const { status } = error as { status?: number };
  if (isRedisUnavailable(error)) return redisUnavailable();
  if (status !== undefined && status >= 400 && status < 500)
    return new DashboardError('invalid_request', 'The request cannot be read.');
  return new DashboardError('internal_error', 'An internal error occurred. See the log of the dashboard.');
}

/** 503: the queues cannot be read now. */
export function redisUnavailable(): DashboardError {
  return new DashboardError('service_unavailable', 'Redis does not answer. Try again in a moment.', 1);
}
