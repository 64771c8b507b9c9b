import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Metrics } from './metrics.ts';

/** Express middleware that uses Node's own request and response. */
type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

const validRequestId = /^[\w.:-]{1,100}$/;

/**
 * Express middleware: gives each request an id and returns it as `X-Request-Id`. An id that the client sent is kept when
 * it has at most 100 characters of `A–Z a–z 0–9 _ . : -`.
 */
export const identifyRequest: Middleware = (request, response, next) => {
  const sent = request.headers['x-request-id'];
  const requestId = typeof sent === 'string' && validRequestId.test(sent) ? sent : randomUUID();
  response.setHeader('x-request-id', requestId);
  next();
};

/** Express middleware: counts and times the requests of a route. */
export function measureRequests(metrics: Metrics, route: string): Middleware {
  const duration = durationOf(metrics);
  return (_request, response, next) => {
    const stop = duration.startTimer({ route });
    response.once('finish', () => stop({ status: String(response.statusCode) }));
    next();
  };
}

const durations = new WeakMap<Metrics, ReturnType<typeof openDuration>>();

/** All routes of a process share one histogram. */
function durationOf(metrics: Metrics) {
  const known = durations.get(metrics);
  if (known) return known;
  const opened = openDuration(metrics);
  durations.set(metrics, opened);
  return opened;
}

function openDuration(metrics: Metrics) {
  return metrics.duration('http_request_seconds', 'Time from request to response', ['route', 'status']);
}

/**
 * Express middleware: warns once when a request comes through a proxy although the process trusts none. All clients
 * behind that proxy then have the same address and share its limits. `setting` is the environment variable for the
 * number of trusted proxies.
 */
export function warnAboutProxy(
  { trustedProxies, setting }: { trustedProxies: number; setting: string },
  log: { warn(message: string): unknown },
): Middleware {
  let warned = trustedProxies > 0;
  return (request, _response, next) => {
    if (!warned && request.headers['x-forwarded-for'] !== undefined) {
      warned = true;
      log.warn(`requests come through a proxy that is not trusted: set ${setting}`);
    }
    next();
  };
}
