import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from '@rewardhook/testing';
import type { SpanOptions } from '../tracing/span.ts';
import { noTracing } from '../tracing/tracing.ts';
import type { AccessLine } from './access-log.ts';
import { recordRequests } from './record-requests.ts';
import { noteWarnings } from './request-record.ts';

describe('The access line of a request', () => {
  it('has the paths of the warnings of its response, and none without warnings', async () => {
    const lines: AccessLine[] = [];
    const record = recordRequests({
      accessLog: { write: (line) => void lines.push(line), close: () => undefined },
    });
    const server = createServer((request, response) =>
      record(request, response, () => {
        if (request.url === '/warned') noteWarnings(response, { 'orders[1].canceled_at': 'a text' });
        response.end();
      }),
    );
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const path of ['/warned', '/plain']) await (await fetch(url + path)).text();
    await waitFor(() => lines.length === 2);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(lines.map(({ warnings }) => warnings)).toEqual([['orders[1].canceled_at'], undefined]);
  });
});

describe('The span of a request', () => {
  it('belongs to the trace that the client names, and is only linked to it where the client is a stranger', async () => {
    const opened: Pick<SpanOptions, 'parent' | 'links'>[] = [];
    const record = recordRequests({
      tracing: {
        ...noTracing,
        startSpan: (name, options) => {
          opened.push({ parent: options.parent, ...(options.links && { links: options.links }) });
          return noTracing.startSpan(name, options);
        },
      },
      isUnauthenticated: (url) => url === '/boot',
    });
    const server = createServer((request, response) => record(request, response, () => response.end()));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await (await fetch(`${url}/orders`, { headers: { traceparent } })).text();
    await (await fetch(`${url}/boot`, { headers: { traceparent } })).text();
    await (await fetch(`${url}/boot`)).text();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(opened).toEqual([
      { parent: traceparent },
      { parent: undefined, links: [traceparent] },
      { parent: undefined, links: [] },
    ]);
  });
});
