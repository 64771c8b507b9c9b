import type { RequestHandler } from 'express';
import { Refusal } from './refusal.ts';

const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses changes that another site asks for: browsers add Basic credentials to those too. Browsers name the
 * origin of each request that changes something; who names none is no browser.
 */
export const refuseCrossSite: RequestHandler = (request, _response, next) => {
  if (reading.has(request.method)) return next();
  const site = request.get('sec-fetch-site');
  const origin = request.get('origin');
  const ours =
    (site === undefined || site === 'same-origin') &&
    (origin === undefined || hostOf(origin) === request.get('host'));
  if (!ours) throw new Refusal('cross_site', 'Another site must not change anything here.');
  next();
};

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
