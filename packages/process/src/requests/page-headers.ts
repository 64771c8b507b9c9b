import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Keeps pages out of frames and referrers, and allows what the directives of the Content-Security-Policy name. With https, browsers
 * keep using https for a year.
 */
export function pageHeaders(directives: Record<string, string[]>, { https = false } = {}): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { ...directives, frameAncestors: ["'none'"] },
    },
    strictTransportSecurity: https && { maxAge: 31_536_000, includeSubDomains: false },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  });
}
