import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

const harmless = /^[\w.:-]{1,100}$/;

/** Express middleware: gives each request its id, the caller's own if it sent one, and returns it as `X-Request-Id`. */
export function identifyRequest(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const sent = request.headers['x-request-id'];
  response.setHeader('x-request-id', typeof sent === 'string' && harmless.test(sent) ? sent : randomUUID());
  next();
}
