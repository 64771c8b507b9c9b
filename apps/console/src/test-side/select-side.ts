import type { RequestHandler, Response } from 'express';
import type { Mode } from '@rewardhook/contract';

const testPath = /^\/test(?=[/?]|$)/;

/**
 * Middleware: below `/test` the routes work on the test side of the merchant. So a link shows which side it belongs to, and
 * two tabs can show different sides.
 */
export const selectSide: RequestHandler = (request, response, next) => {
  const path = testPath.exec(request.url);
  response.locals['mode'] = path ? 'test' : 'live';
  if (path) request.url = request.url.slice(path[0].length).replace(/^(?!\/)/, '/');
  next();
};

/** The side that a request selects. */
export const modeOfRequest = (response: Response): Mode => response.locals['mode'] as Mode;
