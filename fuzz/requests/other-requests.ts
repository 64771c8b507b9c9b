import fc from 'fast-check';
import { headers, queryValues, segments } from '../corpus/values.ts';
import { sometimes } from './arbitraries.ts';
import type { FuzzRequest } from './fuzz-request.ts';

/** Requests of the dashboard of the queues, and of the ports of these processes for health and metrics. */
export function otherRequests(authorization: string, processes: string[]): fc.Arbitrary<FuzzRequest> {
  return fc.oneof(
    requestsOf('dashboard', ['/', '/api/queues', '/static', '/queue/sync'], { authorization }),
    ...processes.map((name) =>
      requestsOf(`health of ${name}`, ['/health/live', '/health/ready', '/metrics', '/'], {}),
    ),
  );
}

function requestsOf(
  target: string,
  paths: string[],
  right: Record<string, string>,
): fc.Arbitrary<FuzzRequest> {
  return fc
    .record({
      path: fc.constantFrom(...paths),
      // The dashboard is that of a library: what its routes do with queues is not changed here.
      method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'OPTIONS'),
      segment: sometimes(fc.constantFrom(...segments), 2),
      query: sometimes(fc.constantFrom(...queryValues), 2),
      extra: sometimes(fc.constantFrom(...headers), 2),
    })
    .map(({ path, method, segment, query, extra }): FuzzRequest => ({
      target,
      route: `${method} ${path}`,
      method,
      path: `${path}${segment === undefined ? '' : `/${segment}`}${query === undefined ? '' : `?page=${query.replaceAll('NAME', 'page')}`}`,
      headers: { ...right, ...extra },
      signedIn: true,
    }));
}
