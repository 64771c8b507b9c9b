import { Client, type Dispatcher } from 'undici';
import type { ConnectTimings } from './attempt-failure.ts';
import type { GuardedConnector } from './guarded-connector.ts';
import { watchHeads } from './sent-head.ts';

/** What an attempt can learn about the connection it is sent on. */
export type Connection = {
  timings: ConnectTimings;
  /** Requests sent on the present socket. */
  requests: number;
  /** Hears the head of the request under way as it goes to the socket; each exchange sets its own. */
  onHead: (head: string) => void;
  /** Ends the request under way together with its socket. */
  breakOff: () => void;
};

/**
 * Dispatch options that want to know their connection; undici hands them through to the client as they are.
 * Told false, the client drops the request, whose time ran out while it waited in the pool.
 */
export type TrackedDispatchOptions = Dispatcher.DispatchOptions & {
  onConnectionChosen: (connection: Connection) => boolean;
};

/**
 * An undici client (one socket, made by the guard) that tells each request which connection it got. undici
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
            // undici's own abort keeps the request in its queue and connects anew for it: at each timeout one
            // connection for nothing, to the very servers that are slow.
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
    // True means "ready for more": the pool goes on to the next in its queue.
    if (onConnectionChosen?.(this.#connection) === false) return true;
    return super.dispatch(options, handler);
  }
}
