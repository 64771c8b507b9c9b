import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Limits what clients leave unread, for one server. */
export interface UnreadAnswers {
  /** Bytes of answers that the clients have not taken yet. */
  bytes(): number;
}

/** Why a connection was closed: its answer made no progress, the server held too many bytes, or it sent too many requests at once. */
export type UnreadReason = 'no_progress' | 'too_many_bytes' | 'too_many_requests';

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
 * Closes connections whose clients do not read their answers. Progress counts, not time: a slow client gets its complete answer.
 *
 * Node's time-out of a socket is the measure of progress, because it also sees which part of one long write the kernel has
 * accepted. Linux reports free space in a send buffer when a third of it is free: about 30 KB on a slow network.
 */
export function limitUnreadAnswers(
  server: Server,
  onEnd: (reason: UnreadReason) => void = () => undefined,
  limits: { stalledMs: number; maxBytes: number } = { stalledMs, maxBytes },
): UnreadAnswers {
  const connections = new Map<Socket, Connection>();

  const end = (socket: Socket, reason: UnreadReason) => {
    socket.destroy();
    connections.delete(socket);
    onEnd(reason);
  };

  // An answer that waits behind another one has no event of its own when its connection is closed.
  server.on('connection', (socket) => socket.once('close', () => connections.delete(socket)));
  server.on('request', ({ socket }, response) => {
    const connection = connections.get(socket) ?? open(socket);
    connection.answers.add(response);
    if (connection.answers.size > maxPipelined) end(socket, 'too_many_requests');
    response.once('close', () => {
      connection.answers.delete(response);
      if (connection.answers.size === 0) connections.delete(socket);
    });
    // Without bytes to take, the request is still being handled.
    response.setTimeout(limits.stalledMs, () => {
      if (unreadOf(connection) > 0) end(socket, 'no_progress');
    });
  });

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

  const bytes = () => sum([...connections.values()].map(unreadOf));

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
  return { bytes };
}

/** Bytes of the answers of a connection in the memory of this process. */
const unreadOf = ({ answers }: Connection): number =>
  sum([...answers].map((answer) => answer.writableLength));

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
