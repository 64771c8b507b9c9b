import type { RequestHandler, Response } from 'express';
import { findLinkingSettings } from '@rewardhook/database';
import type { Database, LinkingSettings } from '@rewardhook/database';
import { ApiError, serviceUnavailable } from '../http/api-error.ts';
import { withDatabaseTimeout } from '../http/with-database-timeout.ts';
import { ownerOf } from '../keys/authenticate.ts';

/**
 * The CORS headers of a request that browsers send: pages of every origin may read the response, errors included. A page
 * of an origin that the merchant does not allow gets the error of `requireAllowedOrigin`.
 */
export const allowBrowsers: RequestHandler = (request, response, next) => {
  const origin = request.get('origin');
  response.vary('origin');
  if (origin !== undefined)
    response.set({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'retry-after, x-request-id',
    });
  next();
};

/** The headers that the browser SDK sends. */
const usualHeaders = 'content-type, x-service-key';

const maxRequestedHeaders = 4_096;

/** Names of headers, separated by commas (RFC 9110, tokens). */
const headerNames = /^[\w!#$%&'*+.^`|~-]+(?: ?, ?[\w!#$%&'*+.^`|~-]+)*$/;

/**
 * Answers the preflight request of a browser. It carries no key, so the origin is checked with the request itself. The headers that
 * are asked for are allowed: monitoring libraries add some to every call of a page (`traceparent`, `baggage`, `sentry-trace`), and
 * without credentials none of them gives access to anything.
 */
export const answerPreflight: RequestHandler = (request, response) => {
  const requested = request.get('access-control-request-headers')?.trim() ?? '';
  const isList = requested.length <= maxRequestedHeaders && headerNames.test(requested);
  response.vary('access-control-request-headers');
  response.set({
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': isList ? requested : usualHeaders,
    'access-control-max-age': '7200',
  });
  response.status(204).end();
};

/**
 * Middleware: refuses a request of a page whose origin the merchant does not allow. The merchant's settings are then
 * available through `linkingSettingsOf`. A request without an Origin does not come from a page and passes: this check
 * protects against other web sites; `user_hash` protects against other programs.
 */
export function requireAllowedOrigin(database: Database): RequestHandler {
  return async (request, response, next) => {
    const { merchantId } = ownerOf(response);
    const linking = await withDatabaseTimeout(findLinkingSettings(database, merchantId));
    // The key was still in the cache when the data of the test side was deleted, which gave it another id.
    if (!linking)
      throw serviceUnavailable(
        'The test data has just been deleted. Send the request again in a few seconds.',
      );
    const origin = request.get('origin');
    if (origin !== undefined && !isAllowed(linking.allowedOrigins, origin))
      throw new ApiError('origin_not_allowed', 'The merchant does not allow calls from this origin.');
    response.locals['linking'] = linking;
    next();
  };
}

/** The linking settings of the calling merchant. */
export function linkingSettingsOf(response: Response): LinkingSettings {
  return response.locals['linking'] as LinkingSettings;
}

function isAllowed(allowedOrigins: string[], origin: string): boolean {
  return allowedOrigins.length === 0 || allowedOrigins.includes(origin);
}
