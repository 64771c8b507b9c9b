import { Router } from 'express';
import type { RequestHandler } from 'express';
import { pageHeaders } from '@rewardhook/process';

const noCache: RequestHandler = (request, response, next) => {
  // The board's files have a hash in their name and are the same for every user.
  const cached = request.path.startsWith('/static/');
  response.set('cache-control', cached ? 'private, max-age=3600' : 'no-store');
  next();
};

/**
 * Allows what the board's page needs: its own files, and styles that its components put into the page. The fonts that
 * it requests from Google are not loaded.
 */
export const securityHeaders = Router().use(
  pageHeaders({
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", 'data:'],
    fontSrc: ["'self'"],
    connectSrc: ["'self'"],
    workerSrc: ["'self'"],
    baseUri: ["'self'"],
    formAction: ["'none'"],
  }),
  noCache,
);
