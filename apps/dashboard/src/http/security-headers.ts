import type { RequestHandler } from 'express';

/**
 * What the board's page needs: its own files, and styles that its components put into the page. The fonts that it
 * asks Google for are not loaded.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Keeps the pages out of frames, other sites, caches and referrers. */
export const securityHeaders: RequestHandler = (request, response, next) => {
  response.set({
    'content-security-policy': contentSecurityPolicy,
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    // The board's files have their hash in their name, and are the same for everybody.
    'cache-control': request.path.startsWith('/static/') ? 'private, max-age=3600' : 'no-store',
  });
  next();
};
