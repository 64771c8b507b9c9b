import type { IncomingMessage, ServerResponse } from 'node:http';
import { noTracing } from '../tracing/tracing.ts';
import type { Tracing } from '../tracing/span.ts';
import { prefixOf } from '../client-address.ts';
import { noAccessLog } from './access-log.ts';
import type { AccessLine, AccessLog } from './access-log.ts';
import { openRequestRecord } from './request-record.ts';
import type { RequestRecord } from './request-record.ts';

/** What Express adds to a request. */
interface ExpressRequest extends IncomingMessage {
  /** The client's address, behind the trusted proxies. */
  ip?: string | undefined;
  baseUrl?: string;
  route?: { path?: unknown };
}

/** Load balancers and monitoring call these routes all the time: they have no access line and no span. */
const isProbe = (url = '') => url.startsWith('/health/');

/**
 * Express middleware: gives each request an id, which the response returns as `X-Request-Id`, and a record. When the
 * response has ended, it writes the access line, ends the span of the request, and calls `onEnd`.
 */
export function recordRequests({
  accessLog = noAccessLog,
  tracing = noTracing,
  isUnauthenticated = () => false,
  onEnd,
}: {
  accessLog?: AccessLog;
  tracing?: Tracing;
  /** Whether the route at a URL is for clients that are not authenticated, such as browsers of customers. */
  isUnauthenticated?: (url: string) => boolean;
  onEnd?: (response: ServerResponse, line: AccessLine) => void;
} = {}) {
  return (request: ExpressRequest, response: ServerResponse, next: () => void): void => {
    const probe = isProbe(request.url);
    const record = openRequestRecord(request, response, {
      tracing: probe ? noTracing : tracing,
      isUnauthenticated: isUnauthenticated(request.url ?? ''),
    });
    response.setHeader('x-request-id', record.requestId);
    if (!probe) {
      const { method, ip = '' } = request;
      const { socket } = request;
      const startedAt = performance.now();
      const writtenBefore = socket.bytesWritten;
      response.once('close', () => {
        const status = response.headersSent ? response.statusCode : null;
        const route = record.route ?? routeOf(request);
        const line: AccessLine = {
          method,
          route,
          status,
          ...(response.writableFinished ? {} : { aborted: true }),
          durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
          bytes: bytesOf(response) ?? Math.max(0, socket.bytesWritten - writtenBefore),
          merchantId: record.merchantId,
          requestId: record.requestId,
          client: record.fromCustomer ? prefixOf(ip) : ip,
          ...(record.warnings && { warnings: record.warnings }),
        };
        accessLog.write(line);
        endSpan(record, method, route, status);
        onEnd?.(response, line);
      });
    }
    next();
  };
}

/** The pattern of the route that Express matched last. */
function routeOf({ baseUrl = '', route }: ExpressRequest): string {
  return typeof route?.path === 'string' ? baseUrl + route.path : 'unmatched';
}

/** Of the body where its length was sent, otherwise of all that was written for this request. */
function bytesOf(response: ServerResponse): number | undefined {
  const length = response.getHeader('content-length');
  return length === undefined ? undefined : Number(length);
}

function endSpan(
  { span, merchantId, requestId }: RequestRecord,
  method: string | undefined,
  route: string,
  status: number | null,
): void {
  span.describe(
    {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status ?? undefined,
      'rewardhook.merchant_id': merchantId,
      'rewardhook.request_id': requestId,
    },
    `${method} ${route}`,
  );
  span.end(status === null || status >= 500 ? `status ${status ?? 'none'}` : undefined);
}
