import { Client, type Dispatcher } from 'undici';
import type { ConnectTimings } from './attempt-failure.ts';
import type { GuardedConnector } from './guarded-connector.ts';

/** What an attempt can learn about the connection it is sent on. */
export type Connection = {
  timings: ConnectTimings;
  /** Requests sent on the present socket. */
  requests: number;
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
    const connection: Connection = { timings: {}, requests: 0 };
    super(origin, {
      ...options,
      connect: (target, callback) => {
        connector.open(target).then(
          ({ socket, timings }) => {
            connection.timings = timings;
            connection.requests = 0;
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
