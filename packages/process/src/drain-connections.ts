import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Ends the connections of an HTTP server without losing a request. */
export interface Drain {
  /** Handles the requests of the server. */
  handle: RequestListener;
  /** From now on every connection ends with its next response, which has `Connection: close`. */
  begin(): void;
  /**
   * Stops listening and closes idle connections, and resolves when the last request is answered. A request of which
   * nothing arrives for `stalledMs` milliseconds is answered with 503, after `limitMs` every incomplete one.
   *
   * Closing a listening socket resets the connections that it has not accepted yet. So requests that arrive in the last
   * moment are answered after it is closed: a client that waits for an answer does not open the next connection.
   */
  end(): Promise<void>;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

const defaults = { stalledMs: 1_000, limitMs: 5_000 };
/** The server stops listening when nothing has arrived for the first, and at the latest after the second time. */
const quietMs = 150;
const longestQuietMs = 750;
/** How often incomplete requests are checked. */
const checkIntervalMs = 100;

/** Prepares a server for a graceful end. `app` handles its requests. */
export function openDrain(
  server: Server,
  app: RequestListener,
  { stalledMs, limitMs }: { stalledMs: number; limitMs: number } = defaults,
): Drain {
  /** The open connections, with the bytes read at the last check and when that saw new ones. */
  const connections = new Map<Socket, { bytesSeen: number; changedAt: number }>();
  /** The newest request of each connection that is not answered yet. */
  const newest = new Map<Socket, Exchange>();
  /** Connections that end with the next response: later requests are not handled (RFC 9112, 9.6). */
  const closing = new WeakSet<Socket>();
  let begun = false;
  /** When the last connection was opened, or the last request arrived. */
  let arrivedAt = 0;
  /** Requests that wait until the server has stopped listening; undefined when they do not wait. */
  let waiting: (() => void)[] | undefined;

  server.on('connection', (socket) => {
    arrivedAt = performance.now();
    connections.set(socket, { bytesSeen: 0, changedAt: arrivedAt });
    socket.once('close', () => {
      connections.delete(socket);
      newest.delete(socket);
    });
  });

  const announceClose = ({ request, response }: Exchange) => {
    if (response.headersSent) return;
    response.setHeader('connection', 'close');
    closing.add(request.socket);
  };
  const begin = () => {
    if (begun) return;
    begun = true;
    for (const exchange of newest.values()) announceClose(exchange);
  };

  const quiet = async () => {
    const startedAt = performance.now();
    arrivedAt = startedAt;
    for (;;) {
      await pause(quietMs / 10);
      const now = performance.now();
      if (now - arrivedAt >= quietMs || now - startedAt >= longestQuietMs) return;
    }
  };

  /** Refuses requests of which nothing has arrived for `allowedMs`, and closes connections without a request. */
  const endStalled = (allowedMs: number) => {
    server.closeIdleConnections();
    const now = performance.now();
    for (const [socket, connection] of connections) {
      if (socket.bytesRead !== connection.bytesSeen) {
        connection.bytesSeen = socket.bytesRead;
        connection.changedAt = now;
      }
      if (now - connection.changedAt < allowedMs) continue;
      const exchange = newest.get(socket);
      if (!exchange) socket.destroySoon();
      else if (!exchange.request.complete) refuse(exchange);
    }
  };

  return {
    begin,
    handle(request, response) {
      arrivedAt = performance.now();
      const { socket } = request;
      if (closing.has(socket)) return void request.resume();
      const exchange = { request, response };
      newest.set(socket, exchange);
      response.once('close', () => {
        if (newest.get(socket) === exchange) newest.delete(socket);
      });
      if (begun) announceClose(exchange);
      if (waiting) waiting.push(() => app(request, response));
      else app(request, response);
    },
    async end() {
      begin();
      waiting = [];
      await quiet();
      const closed = new Promise((resolve) => server.close(resolve));
      const handleAll = waiting;
      waiting = undefined;
      for (const handle of handleAll) handle();
      const limitAt = performance.now() + limitMs;
      const timer = setInterval(
        () => endStalled(performance.now() > limitAt ? 0 : stalledMs),
        checkIntervalMs,
      );
      await closed;
      clearInterval(timer);
    },
  };
}

/** Answers 503 to a request whose body is incomplete. What still arrives of it is dropped: it must have no effect. */
function refuse({ request, response }: Exchange): void {
  if (response.writableEnded) return;
  if (response.headersSent) return void response.destroy();
  request.removeAllListeners('data').removeAllListeners('end').resume();
  const body = JSON.stringify({
    code: 'service_unavailable',
    message: 'The server is shutting down. Send the request again.',
    request_id: response.getHeader('x-request-id'),
  });
  response.writeHead(503, {
    connection: 'close',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'retry-after': '1',
  });
  response.end(body);
}
