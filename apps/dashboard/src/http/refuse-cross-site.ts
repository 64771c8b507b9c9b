import type { RequestHandler } from 'express';
import { Refusal } from './refusal.ts';

const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses changes that another site requests: browsers add Basic credentials to those too. A browser sends the origin
 * of each request that changes something; a client that sends none is not a browser.
 */
export const refuseCrossSite: RequestHandler = (request, _response, next) => {
  if (reading.has(request.method)) return next();
  const site = request.get('sec-fetch-site');
  const origin = request.get('origin');
  const ours =
    (site === undefined || site === 'same-origin') &&
    (origin === undefined || hostOf(origin) === request.get('host'));
  if (!ours) throw new Refusal('cross_site', 'Changes from another site are not allowed.');
  next();
};

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
