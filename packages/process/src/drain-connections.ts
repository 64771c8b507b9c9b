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
  /** Whether its response has `Connection: close`, unless its headers were sent before. */
  last: boolean;
}

interface Connection {
  socket: Socket;
  /** Requests that are not answered yet, in the order of their arrival: several with pipelining. */
  exchanges: Exchange[];
  /** Bytes read when the last response ended. More bytes belong to a request whose headers are incomplete. */
  bytesAnswered: number;
  /** Bytes read at the last check. */
  bytesSeen: number;
  /** When it was opened, its last response ended, or a check saw new bytes. */
  changedAt: number;
  /** A response with `Connection: close` was sent: later requests are not handled (RFC 9112, 9.6). */
  closing: boolean;
}

const defaults = { stalledMs: 1_000, limitMs: 5_000 };
/** The first bytes on a new connection may take this long. */
const idleMs = 200;
/** The server stops listening when nothing has arrived for the first, and at the latest after the second time. */
const quietMs = 150;
const longestQuietMs = 750;
/** How often incomplete requests are checked. */
const checkIntervalMs = 100;
/** How long a connection is read after the last response, so that the client can read it before a reset. */
const lingerMs = 250;

/** Prepares a server for a graceful end. `app` handles its requests. */
export function openDrain(
  server: Server,
  app: RequestListener,
  { stalledMs, limitMs }: { stalledMs: number; limitMs: number } = defaults,
): Drain {
  const connections = new Map<Socket, Connection>();
  let begun = false;
  /** When the last connection was opened, or the last request arrived. */
  let arrivedAt = 0;
  /** Requests that wait until the server has stopped listening; undefined when they do not wait. */
  let waiting: (() => void)[] | undefined;

  server.on('connection', (socket) => {
    arrivedAt = performance.now();
    connections.set(socket, {
      socket,
      exchanges: [],
      bytesAnswered: 0,
      bytesSeen: 0,
      changedAt: arrivedAt,
      closing: false,
    });
    socket.once('close', () => connections.delete(socket));
    if (begun) linger(socket);
  });

  const begin = () => {
    if (begun) return;
    begun = true;
    for (const connection of connections.values()) {
      linger(connection.socket);
      markLast(connection);
    }
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

  return {
    begin,
    handle(request, response) {
      arrivedAt = performance.now();
      const connection = connections.get(request.socket);
      // The connection is closed already: there is nobody to answer.
      if (!connection) return void request.resume();
      const sent = connection.exchanges.at(-1);
      if (sent?.last && sent.response.headersSent) connection.closing = true;
      if (connection.closing) return void request.resume();
      const exchange = { request, response, last: false };
      connection.exchanges.push(exchange);
      response.once('close', () => {
        connection.exchanges.splice(connection.exchanges.indexOf(exchange), 1);
        connection.bytesAnswered = connection.socket.bytesRead;
        connection.changedAt = performance.now();
        if (exchange.last) connection.closing = true;
      });
      if (begun) markLast(connection);
      if (waiting) waiting.push(() => app(request, response));
      else app(request, response);
    },
    async end() {
      begin();
      waiting = [];
      await quiet();
      const limitAt = performance.now() + limitMs;
      const check = () => {
        const now = performance.now();
        for (const connection of connections.values())
          closeOrRefuse(connection, now, now > limitAt ? 0 : stalledMs);
      };
      // Closes the idle connections, except those that have never sent a byte.
      const closed = new Promise((resolve) => server.close(resolve));
      const handleAll = waiting;
      waiting = undefined;
      for (const handle of handleAll) handle();
      check();
      const timer = setInterval(check, checkIntervalMs);
      await closed;
      clearInterval(timer);
    },
  };
}

/** The newest request of a connection is its last one: only its response may have `Connection: close`. */
function markLast({ exchanges }: Connection): void {
  for (const [index, exchange] of exchanges.entries()) {
    const isNewest = index === exchanges.length - 1;
    if (exchange.response.headersSent) continue;
    if (isNewest) exchange.response.shouldKeepAlive = false;
    else if (exchange.last) exchange.response.shouldKeepAlive = true;
    exchange.last = isNewest;
  }
}

/** Closes a connection without a request, and refuses a request that is incomplete and has stalled. */
function closeOrRefuse(connection: Connection, now: number, stalledMs: number): void {
  const { socket, exchanges } = connection;
  if (socket.bytesRead !== connection.bytesSeen) {
    connection.bytesSeen = socket.bytesRead;
    connection.changedAt = now;
  }
  const stalled = now - connection.changedAt >= stalledMs;
  const newest = exchanges.at(-1);
  if (newest) {
    if (stalled && !newest.request.complete) refuse(newest);
  } else if (!connection.closing) {
    const idle = socket.bytesRead === connection.bytesAnswered && now - connection.changedAt >= idleMs;
    if (!idle && !stalled) return;
    connection.closing = true;
    socket.destroySoon();
  }
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

/**
 * Makes Node read on for a moment after the last response. A socket that is closed with unread data is reset, and the
 * client could lose the response (RFC 9112, 9.6).
 */
function linger(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  };
}
