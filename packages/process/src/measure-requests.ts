import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Metrics } from './metrics.ts';

/** Express middleware: counts and times the requests of a route. */
export function measureRequests(
  metrics: Metrics,
  route: string,
): (request: IncomingMessage, response: ServerResponse, next: () => void) => void {
  const duration = durationOf(metrics);
  return (_request, response, next) => {
    const stop = duration.startTimer({ route });
    response.once('finish', () => stop({ status: String(response.statusCode) }));
    next();
  };
}

const durations = new WeakMap<Metrics, ReturnType<typeof openDuration>>();

function openDuration(metrics: Metrics) {
  return metrics.duration('http_request_seconds', 'Time from request to answer', ['route', 'status']);
}

/** One histogram for all routes of a process. */
function durationOf(metrics: Metrics) {
  const known = durations.get(metrics);
  if (known) return known;
  const opened = openDuration(metrics);
  durations.set(metrics, opened);
  return opened;
}
