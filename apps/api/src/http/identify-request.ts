import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';

const harmless = /^[\w.:-]{1,100}$/;

/** Gives each request its id, the caller's own if it sent one, and returns it as `X-Request-Id`. */
export const identifyRequest: RequestHandler = (request, response, next) => {
  const sent = request.get('x-request-id');
  response.set('x-request-id', sent && harmless.test(sent) ? sent : randomUUID());
  next();
};
