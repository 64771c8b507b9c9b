import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import type { ErrorBody } from '@rewardhook/contract';

/**
 * The HTTP server of the API. Slow clients are disconnected. Every refusal is JSON in the contract's error format, also
 * of requests that Node cannot parse.
 */
export function createHttpServer(app: Express): Server {
  const server = createServer(
    // Node itself would answer a missing Host with an empty body.
    { headersTimeout: 10_000, requestTimeout: 60_000, keepAliveTimeout: 65_000, requireHostHeader: false },
    (request, response) => {
      const hasHost = request.headers.host !== undefined || request.httpVersion !== '1.1';
      if (hasHost) app(request, response);
      else refuse(new Error('the header Host is missing'), request.socket);
    },
  );
  // Without a listener, Node answers an unknown Expect with an empty body.
  server.on('checkExpectation', app);
  server.on('clientError', refuse);
  return server;
}

function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const body: ErrorBody = {
    code: 'invalid_request',
    message: 'The request is not valid HTTP.',
    params: { request: error.code === 'HPE_HEADER_OVERFLOW' ? 'headers are too large' : 'cannot be parsed' },
    request_id: randomUUID(),
  };
  const text = JSON.stringify(body);
  const head = [
    'HTTP/1.1 400 Bad Request',
    'connection: close',
    'content-type: application/json',
    'x-content-type-options: nosniff',
    `content-length: ${Buffer.byteLength(text)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}
