import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { randomUUID } from 'node:crypto';
import type { Express } from 'express';
import type { ErrorBody } from '@rewardhook/contract';

/** Serves the app until closed. Slow clients are cut off; what Node cannot parse gets a JSON error too. */
export async function serve(
  app: Express,
  host: string,
  port: number,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(
    // Node's own answers to a missing Host and a strange Expect are empty: ours are JSON, always.
    { headersTimeout: 10_000, requestTimeout: 60_000, keepAliveTimeout: 65_000, requireHostHeader: false },
    (request, response) => {
      const addressed = request.headers.host !== undefined || request.httpVersion !== '1.1';
      if (addressed) app(request, response);
      else refuse(new Error('the header Host is missing'), request.socket);
    },
  );
  server.on('checkExpectation', app);
  server.on('clientError', refuse);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${address.port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await closed;
    },
  };
}

function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const body: ErrorBody = {
    code: 'invalid_request',
    message: 'This is not a readable HTTP request.',
    params: { request: error.code === 'HPE_HEADER_OVERFLOW' ? 'headers are too large' : 'cannot be parsed' },
    request_id: randomUUID(),
  };
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-type: application/json\r\nx-content-type-options: nosniff\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}
