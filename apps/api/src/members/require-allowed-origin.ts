import type { RequestHandler, Response } from 'express';
import { findLinkingSettings } from '@rewardhook/database';
import type { Database, LinkingSettings } from '@rewardhook/database';
import { ApiError } from '../http/api-error.ts';
import { withDatabaseTimeout } from '../http/with-database-timeout.ts';
import { ownerOf } from '../keys/authenticate.ts';

/**
 * Refuses a browser's call from a page that the merchant does not allow; `linkingOf` then tells the merchant's
 * settings. A call without an Origin comes from no browser page, and passes: this keeps other people's pages
 * out, not other people's programs. Those are what `user_hash` is for.
 */
export function requireAllowedOrigin(database: Database): RequestHandler {
  return async (request, response, next) => {
    const { merchantId } = ownerOf(response);
    const linking = await withDatabaseTimeout(findLinkingSettings(database, merchantId));
    if (!linking) throw new Error('the merchant of a live key is gone');
    const origin = request.get('origin');
    if (origin !== undefined && !isAllowed(linking.allowedOrigins, origin))
      throw new ApiError('origin_not_allowed', 'The merchant does not allow calls from this origin.');
    response.locals['linking'] = linking;
    next();
  };
}

/** How the members of the calling merchant are linked. */
export function linkingOf(response: Response): LinkingSettings {
  return response.locals['linking'] as LinkingSettings;
}

function isAllowed(allowed: string[], origin: string): boolean {
  return allowed.length === 0 || allowed.includes(origin);
}
