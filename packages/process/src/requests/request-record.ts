import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { noTracing } from '../tracing/tracing.ts';
import type { RequestTrace, Span, Tracing } from '../tracing/span.ts';
import { readTraceparent } from '../tracing/trace-context.ts';

/** What is known of a request while it is handled. */
export interface RequestRecord {
  requestId: string;
  /** The pattern of its path, such as `/r/{code}`; undefined when no route matches. */
  route: string | undefined;
  /** Set when the request is authenticated. */
  merchantId: string | undefined;
  /** Set when the client is a merchant's customer: their address is logged without its last part. */
  fromCustomer: boolean;
  /** The paths of the warnings of the response. */
  warnings: readonly string[] | undefined;
  span: Span;
}

const records = new WeakMap<ServerResponse, RequestRecord>();

const validRequestId = /^[\w.:-]{1,100}$/;

/**
 * Gives a request its record and its id. A trace of a stranger, whose key is public, is linked: their request neither belongs to
 * it nor is sampled as it says. An id that the client sent (`X-Request-Id`) is kept when it has at most 100
 * characters of `A–Z a–z 0–9 _ . : -`.
 */
export function openRequestRecord(
  request: IncomingMessage,
  response: ServerResponse,
  { tracing = noTracing, isUnauthenticated = false }: { tracing?: Tracing; isUnauthenticated?: boolean } = {},
): RequestRecord {
  const sent = request.headers['x-request-id'];
  const requestId = typeof sent === 'string' && validRequestId.test(sent) ? sent : randomUUID();
  const parent = readTraceparent(request.headers['traceparent']);
  const relation = isUnauthenticated ? { links: parent === undefined ? [] : [parent] } : { parent };
  const span = tracing.startSpan(request.method ?? '', { kind: 'server', ...relation });
  const record = {
    requestId,
    route: undefined,
    merchantId: undefined,
    fromCustomer: false,
    warnings: undefined,
    span,
  };
  records.set(response, record);
  return record;
}

/** The record of a request. @throws when the process does not keep records */
export function recordOf(response: ServerResponse): RequestRecord {
  const record = records.get(response);
  if (!record) throw new Error('the request has no record');
  return record;
}

/** What follows from a request carries this. */
export function traceOf(response: ServerResponse): RequestTrace {
  const { requestId, span } = recordOf(response);
  return { requestId, traceparent: span.traceparent };
}

/** Notes the warnings of a response, by their paths, for its access line. */
export function noteWarnings(response: ServerResponse, warnings: object): void {
  recordOf(response).warnings = Object.keys(warnings);
}

/** Sets the route of a request, for its access line, if it has a record. */
export function setRoute(response: ServerResponse, route: string): void {
  const record = records.get(response);
  if (record) record.route = route;
}
