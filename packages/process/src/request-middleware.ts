import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Metrics } from './metrics.ts';
import { setRoute } from './requests/request-record.ts';

/** Express middleware that uses Node's own request and response. */
type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/**
 * Express middleware: counts and times the requests of a route that are answered, and counts those whose client closed
 * the connection before the response was sent. Records the route for the access line.
 */
export function measureRequests(metrics: Metrics, route: string): Middleware {
  const duration = metrics.duration(
    'http_request_seconds',
    'Time from request to response; sum over replicas',
    ['route', 'status'],
  );
  const aborted = metrics.counter(
    'http_requests_aborted_total',
    'Requests whose client closed the connection before the response was sent; sum over replicas',
    ['route'],
  );
  return (_request, response, next) => {
    setRoute(response, route);
    const stop = duration.startTimer({ route });
    response.once('close', () => {
      if (response.writableFinished) stop({ status: String(response.statusCode) });
      else aborted.inc({ route });
    });
    next();
  };
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
