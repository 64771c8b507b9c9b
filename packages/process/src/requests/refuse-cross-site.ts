import type { Request, RequestHandler } from 'express';

/** Which changes are refused, and how. */
export interface CrossSiteOptions {
  /** The origin of the pages, as browsers see it. The requested Host is accepted too, so that localhost works for 127.0.0.1. */
  publicOrigin?: string;
  /** A header that forms and other origins cannot send. With it, a change needs this header and an origin or site too. */
  requiredHeader?: { name: string; value: string };
  /** The error of a refused request. */
  refuse: () => Error;
}

const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses changes that another site requests: browsers add cookies and Basic credentials to those too. A browser sends the origin of
 * each request that changes something; a client that sends none is not a browser.
 */
export function refuseCrossSite({ publicOrigin, requiredHeader, refuse }: CrossSiteOptions): RequestHandler {
  return (request, _response, next) => {
    if (reading.has(request.method)) return next();
    const site = request.get('sec-fetch-site');
    const origin = request.get('origin');
    const isOurs =
      (site === undefined || site === 'same-origin') &&
      (origin === undefined || origin === publicOrigin || isHostOf(request, origin));
    const hasHeader =
      requiredHeader === undefined ||
      (request.get(requiredHeader.name) === requiredHeader.value &&
        (site !== undefined || origin !== undefined));
    if (!isOurs || !hasHeader) throw refuse();
    next();
  };
}

function isHostOf(request: Request, origin: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === request.get('host');
}
