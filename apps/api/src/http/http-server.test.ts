import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendRaw } from '../../../../tests/harness/raw-http.ts';
import { refuseUnreadable, serverOptions } from './http-server.ts';

describe('The HTTP server of the API', () => {
  let server: Server;
  let url: string;
  beforeAll(async () => {
    const soon = { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20 };
    // The app would read the body first.
    server = createServer({ ...serverOptions, ...soon }, (request) => void request.resume());
    refuseUnreadable(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  it.each([
    ['head', 'POST / HTTP/1.1\r\nHost: a\r\n'],
    ['body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"orders":'],
  ])('A request whose %s does not arrive in time is answered 408 with the reason', async (_what, bytes) => {
    const { status, headers, body } = await sendRaw(url, bytes);
    expect(status).toBe(408);
    expect(headers).toMatch(/^connection: close\r?$/im);
    const requestId = /^x-request-id: (\S+)/im.exec(headers)?.[1];
    expect(requestId).toBeDefined();
    expect(JSON.parse(body)).toEqual({
      code: 'request_timeout',
      message: 'The headers or the body of the request did not arrive within 10 seconds each. Send it again.',
      request_id: requestId,
    });
  });
});
