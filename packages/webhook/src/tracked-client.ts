import { Client, type Dispatcher } from 'undici';
import { AttemptFailure, type ConnectTimings } from './attempt-failure.ts';
import type { GuardedConnector } from './guarded-connector.ts';
import { watchHeads } from './sent-head.ts';

/** What an attempt can learn about the connection it is sent on. */
export type Connection = {
  timings: ConnectTimings;
  /** Requests sent on the present socket. */
  requests: number;
  /** Hears the head of the request under way as it goes to the socket; each exchange sets its own. */
  onHead: (head: string) => void;
};

/** Dispatch options that want to know their connection; undici hands them through to the client as they are. */
export type TrackedDispatchOptions = Dispatcher.DispatchOptions & {
  onConnectionChosen: (connection: Connection) => void;
  /** False once the exchange is over, for example because its time ran out while it waited. */
  isWanted: () => boolean;
};

/**
 * An undici client (one socket, made by the guard) that tells each request which connection it got. undici
 * itself links the two only in a process-wide diagnostics channel.
 */
export class TrackedClient extends Client {
  readonly #connection: Connection;
  /** Whether the requests that undici has not done with are still wanted by anybody. */
  readonly #wanted: TrackedDispatchOptions['isWanted'][];

  constructor(origin: URL, options: Client.Options, connector: GuardedConnector) {
    const connection: Connection = { timings: {}, requests: 0, onHead: () => undefined };
    const wanted: TrackedDispatchOptions['isWanted'][] = [];
    super(origin, {
      ...options,
      connect: (target, callback) => {
        // undici connects anew for a request whose abortion closed its socket: one connection for nothing at
        // each timeout, to the very servers that are slow.
        if (!wanted.some((isWanted) => isWanted())) return callback(notWanted(), null);
        connector.open(target).then(
          ({ socket, timings }) => {
            connection.timings = timings;
            connection.requests = 0;
            watchHeads(socket, (head) => connection.onHead(head));
            callback(null, socket);
          },
          (error: Error) => callback(error, null),
        );
      },
    });
    this.#connection = connection;
    this.#wanted = wanted;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { onConnectionChosen, isWanted } = options as TrackedDispatchOptions;
    // Dropped, since nobody waits for it; true means "ready for more", so that the pool goes on to the next.
    if (!isWanted()) return true;
    this.#wanted.splice(0, Infinity, ...this.#wanted.filter((one) => one()), isWanted);
    onConnectionChosen(this.#connection);
    return super.dispatch(options, handler);
  }
}

function notWanted(): Error {
  return new AttemptFailure('aborted', 'nobody waits for this connection');
}
