import type { RequestHandler } from 'express';
import { refuse } from './console-error.ts';

const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses changes that another site asks for, beside what SameSite=Lax keeps out: they carry a header that a form
 * cannot send and that another origin is not allowed to, and browsers say where they come from. `publicOrigin` is ours
 * as browsers see it; the Host that was addressed counts too, so that localhost will do for 127.0.0.1.
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
