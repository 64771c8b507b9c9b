import { randomUUID } from 'node:crypto';
import type { RequestListener, Server, ServerOptions } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import type { ErrorBody } from '@rewardhook/contract';
import { errorTexts } from '../openapi/errors.ts';

/** Node itself would answer a missing Host with an empty body. */
export const serverOptions: ServerOptions = { requireHostHeader: false };

/** What is answered to a request that Node could not read. */
interface RejectionBody extends Pick<ErrorBody, 'code' | 'message' | 'params'> {
  status: string;
}

const notHttp = (request: string): RejectionBody => ({
  status: '400 Bad Request',
  code: 'invalid_request',
  message: 'The request is not valid HTTP.',
  params: { request },
});

/** The answers by the code of Node's error. */
const rejections = new Map<string, RejectionBody>(
  Object.entries({
    HPE_HEADER_OVERFLOW: notHttp('headers are too large'),
    ERR_HTTP_REQUEST_TIMEOUT: {
      status: '408 Request Timeout',
      code: 'request_timeout',
      message: errorTexts.request_timeout,
    },
  }),
);

/** Refuses requests without the header Host, which HTTP/1.1 requires. */
export function requireHost(app: Express): RequestListener {
  return (request, response) => {
    const hasHost = request.headers.host !== undefined || request.httpVersion !== '1.1';
    if (hasHost) app(request, response);
    else refuse(new Error('the header Host is missing'), request.socket);
  };
}

/** Every rejection is JSON in the contract's error format, also of requests that Node cannot parse. */
export function refuseUnreadable(server: Server): void {
  // Without a listener, Node answers an unknown Expect with an empty body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', refuse);
}

function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const { status, ...rejection } = rejections.get(error.code ?? '') ?? notHttp('cannot be parsed');
  const requestId = randomUUID();
  const body: ErrorBody = { ...rejection, request_id: requestId };
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status}`,
    'connection: close',
    'content-type: application/json',
    'x-content-type-options: nosniff',
    `x-request-id: ${requestId}`,
    `content-length: ${Buffer.byteLength(text)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}
