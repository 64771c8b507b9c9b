import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import type { ConnectTimings } from './attempt-failure.ts';
import type { GuardedConnector } from './guarded-connector.ts';

/** The connection of an attempt. */
export type Connection = {
  timings: ConnectTimings;
  /** Requests sent on the current socket. */
  requests: number;
  /** Called with the head of the request as it is written to the socket; each exchange sets its own. */
  onHead: (head: string) => void;
  /** Ends the request in progress together with its socket. */
  breakOff: () => void;
};

/**
 * Dispatch options with a callback for the chosen connection; undici passes them to the client unchanged. When the
 * callback returns false, the client drops the request, whose time ran out while it waited in the pool.
 */
export type TrackedDispatchOptions = Dispatcher.DispatchOptions & {
  onConnectionChosen: (connection: Connection) => boolean;
};

/**
 * An undici client (one socket, opened by the guard) that reports to each request the connection that carries it. undici
 * itself links the two only in a process-wide diagnostics channel.
 */
export class TrackedClient extends Client {
  readonly #connection: Connection;

  constructor(origin: URL, options: Client.Options, connector: GuardedConnector) {
    const nothing = (): void => undefined;
    const connection: Connection = { timings: {}, requests: 0, onHead: nothing, breakOff: nothing };
    super(origin, {
      ...options,
      connect: (target, callback) => {
        connector.open(target).then(
          ({ socket, timings }) => {
            connection.timings = timings;
            connection.requests = 0;
            // undici's own abort keeps the request in its queue and opens a connection for it: one useless connection
            // for each timeout, to servers that are slow already.
            connection.breakOff = () => socket.destroy(new Error('the attempt is over'));
            watchHeads(socket, (head) => connection.onHead(head));
            callback(null, socket);
          },
          (error: Error) => callback(error, null),
        );
      },
    });
    this.#connection = connection;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { onConnectionChosen } = options as Partial<TrackedDispatchOptions>;
    // True means "ready for more": the pool continues with the next request of its queue.
    if (onConnectionChosen?.(this.#connection) === false) return true;
    return super.dispatch(options, handler);
  }
}

/**
 * Calls `onHead` with the head of each request as undici writes it to `socket`, before encryption. So the recorded headers
 * are those that were sent, `host` and `content-length` included. undici writes heads as strings and bodies as bytes; its
 * diagnostics channel reports heads too, but without `content-length`, and for the entire process.
 */
function watchHeads(socket: Socket, onHead: (head: string) => void): void {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  socket.write = (...args: unknown[]): boolean => {
    if (typeof args[0] === 'string') onHead(args[0]);
    return write(...args);
  };
}

/** The headers of a request's head: names and values as sent, in the order sent. */
export function headersOfHead(head: string): Record<string, string> {
  const headers: Record<string, string> = {};
  // Parsed without split, since this runs for each attempt. The first line is the request's, the last two are empty.
  let start = head.indexOf('\r\n') + 2;
  let end = head.indexOf('\r\n', start);
  while (end > start) {
    const colon = head.indexOf(': ', start);
    headers[head.slice(start, colon)] = head.slice(colon + 2, end);
    start = end + 2;
    end = head.indexOf('\r\n', start);
  }
  return headers;
}
