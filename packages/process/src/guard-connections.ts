import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { prefixOf } from './client-address.ts';
import type { Log } from './logger.ts';
import type { Metrics } from './metrics.ts';

/** The connections of a server whose clients cannot take more than their share of the process. */
export interface GuardedConnections {
  /** Bytes of answers that the clients have not taken yet. */
  unreadBytes(): number;
}

/** A connection with requests that wait for their answers. */
interface Connection {
  /** Answers that are not complete, in the order of their requests: several with pipelining. */
  answers: Set<ServerResponse>;
  /** Bytes that the socket had taken at the last check. */
  taken: number;
  /** Bytes that the client had sent when the socket last took some. */
  received: number;
  /** When the socket last took bytes. */
  progressAt: number;
}

/** An answer of which the socket takes nothing for this time ends. */
const stalledMs = 30_000;
/** The most bytes of unread answers. Above it, the connections without progress for the longest time are closed. */
const maxBytes = 16 * 1_024 * 1_024;
/** An answer of 2 MiB takes about as long to make. */
const checkIntervalMs = 10;
/** The most requests of a connection that wait for their answers. Browsers and HTTP clients send one at a time. */
const maxPipelined = 8;

/**
 * Handles the requests of a server, and limits what one connection can cost.
 *
 * Connections whose clients do not read their answers are closed. Progress counts, not time: a slow client gets its complete answer.
 * Node's time-out of a socket is the measure of progress, because it also sees which part of one long write the kernel has
 * accepted. Linux reports free space in a send buffer when a third of it is free: about 30 KB on a slow network.
 *
 * A connection with more requests than clients send is closed, and requests of a connection that this process has closed are dropped
 * before the handler runs: Node parses all of a packet, which can contain more than a thousand, and begins with each of them.
 */
export function guardConnections(
  server: Server,
  handle: RequestListener,
  { log, metrics }: { log: Pick<Log, 'info'>; metrics: Metrics },
  limits: { stalledMs: number; maxBytes: number } = { stalledMs, maxBytes },
): GuardedConnections {
  const ended = metrics.counter('unread_answers_ended_total', 'Answers that clients did not read', [
    'reason',
  ]);
  const dropped = metrics.counter(
    'requests_dropped_total',
    'Requests that were not handled because their connection was closed before',
  );
  /** Idle ones are left out: all of them are checked a hundred times a second. */
  const connections = new Map<Socket, Connection>();
  const clients = new WeakMap<Socket, { address: string; dropped: number }>();

  const end = (socket: Socket, reason: 'no_progress' | 'too_many_bytes' | 'too_many_requests') => {
    socket.destroy();
    connections.delete(socket);
    ended.inc({ reason });
  };

  server.on('connection', (socket) => {
    // A closed socket does not know its address.
    const client = { address: socket.remoteAddress ?? '', dropped: 0 };
    clients.set(socket, client);
    // Before the listener of Node.
    socket.prependOnceListener('close', () => {
      if (client.dropped > 0) omitStackTraces();
    });
    socket.once('close', () => {
      // An answer that waits behind another one has no event of its own when its connection is closed.
      connections.delete(socket);
      if (client.dropped > 0)
        log.info('requests were dropped because their connection was closed before', {
          client: prefixOf(client.address),
          requests: client.dropped,
        });
    });
  });
  server.on('request', (request, response) => {
    if (!isClosed(request.socket)) track(request.socket, response);
    if (isClosed(request.socket)) drop(request);
    else handle(request, response);
  });

  const track = (socket: Socket, response: ServerResponse) => {
    const connection = connections.get(socket) ?? open(socket);
    connection.answers.add(response);
    if (connection.answers.size > maxPipelined) return end(socket, 'too_many_requests');
    response.once('close', () => {
      connection.answers.delete(response);
      if (connection.answers.size === 0) connections.delete(socket);
    });
    // Without bytes to take, the request is still being handled.
    response.setTimeout(limits.stalledMs, () => {
      if (unreadOf(connection) > 0) end(socket, 'no_progress');
    });
  };

  const drop = (request: IncomingMessage) => {
    dropped.inc();
    const client = clients.get(request.socket);
    if (client) client.dropped += 1;
    // A body that nobody reads would hide that the client closes the connection. Of a closed one nothing is read anyway.
    if (!request.socket.destroyed) request.resume();
  };

  const open = (socket: Socket): Connection => {
    const connection: Connection = {
      answers: new Set(),
      taken: socket.bytesWritten - socket.writableLength,
      received: socket.bytesRead,
      progressAt: performance.now(),
    };
    connections.set(socket, connection);
    return connection;
  };

  const check = () => {
    const now = performance.now();
    const unread: { socket: Socket; connection: Connection; length: number }[] = [];
    for (const [socket, connection] of connections) {
      const taken = socket.bytesWritten - socket.writableLength;
      const length = unreadOf(connection);
      if (length === 0 || taken > connection.taken)
        Object.assign(connection, { taken, received: socket.bytesRead, progressAt: now });
      // The bytes that a client sends restart Node's time-out. A client that waits for its answer sends none.
      else if (now - connection.progressAt >= limits.stalledMs && socket.bytesRead > connection.received)
        end(socket, 'no_progress');
      if (length > 0) unread.push({ socket, connection, length });
    }
    let total = sum(unread.map(({ length }) => length));
    if (total <= limits.maxBytes) return;
    for (const { socket, length } of unread.toSorted(
      (a, b) => a.connection.progressAt - b.connection.progressAt,
    )) {
      if (total <= limits.maxBytes) break;
      end(socket, 'too_many_bytes');
      total -= length;
    }
  };
  const timer = setInterval(check, checkIntervalMs).unref();
  server.once('close', () => clearInterval(timer));
  return { unreadBytes: () => sum([...connections.values()].map(unreadOf)) };
}

const { stackTraceLimit } = Error;

/**
 * Errors that are made in this tick have no stack trace. When a connection with requests is closed, Node makes an error for each of
 * them: with stack traces that nobody reads, they are more than half of what a dropped request costs.
 */
function omitStackTraces(): void {
  Error.stackTraceLimit = 0;
  process.nextTick(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });
}

/** Whether this process has closed the connection, or ends it with what it has written. */
const isClosed = (socket: Socket): boolean => socket.destroyed || socket.writableEnded;

/** Bytes of the answers of a connection in the memory of this process. */
const unreadOf = ({ answers }: Connection): number =>
  sum([...answers].map((answer) => answer.writableLength));

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
