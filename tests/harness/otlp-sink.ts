import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as the sink received it. */
export interface ReceivedSpan {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
}

/** A collector that keeps the spans that processes export to it with OTLP over HTTP, in JSON. */
export interface OtlpSink {
  url: string;
  spans: ReceivedSpan[];
  close(): Promise<void>;
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number | string; boolValue?: boolean; doubleValue?: number };
}
type SentSpan = Omit<ReceivedSpan, 'service' | 'attributes' | 'links'> & {
  attributes?: Attribute[];
  links?: ReceivedSpan['links'];
};
interface ExportRequest {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: SentSpan[] }[] }[];
}

/** Starts a sink on 127.0.0.1. */
export async function startOtlpSink(): Promise<OtlpSink> {
  const spans: ReceivedSpan[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      if (request.url === '/v1/traces') spans.push(...decode(Buffer.concat(chunks).toString()));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function decode(text: string): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(text) as ExportRequest;
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans
      .flatMap((scope) => scope.spans)
      .map((span) => ({
        ...span,
        service,
        attributes: valuesOf(span.attributes ?? []),
        links: span.links ?? [],
      }));
  });
}

function valuesOf(attributes: Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
