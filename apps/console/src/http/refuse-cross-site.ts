import type { RequestHandler } from 'express';
import { refuse } from './console-error.ts';

const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses changes that another site requests, in addition to SameSite=Lax: a change needs a header that forms and other
 * origins cannot send, and the origin that the browser names must be ours. `publicOrigin` is the origin of the console
 * for browsers; the requested Host is accepted too, so that localhost works for 127.0.0.1.
 */
export function refuseCrossSite(publicOrigin: string): RequestHandler {
  return (request, _response, next) => {
    if (reading.has(request.method)) return next();
    const site = request.get('sec-fetch-site');
    const origin = request.get('origin');
    const known = site !== undefined || origin !== undefined;
    const sameSite = site === undefined || site === 'same-origin';
    const sameOrigin =
      origin === undefined || origin === publicOrigin || hostOf(origin) === request.get('host');
    if (request.get('x-rewardhook-console') !== '1' || !known || !sameSite || !sameOrigin)
      throw refuse('csrf_refused');
    next();
  };
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
