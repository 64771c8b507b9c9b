import { Client } from 'undici';
import type { Dispatcher } from 'undici';
import type { ConnectTimings } from './attempt-failure.ts';
import type { GuardedConnector } from './guarded-connector.ts';

/** One client of undici, which has one socket at a time. */
export type Connection = {
  /** How long it took to open the current socket. */
  timings: ConnectTimings;
  /** Requests sent on the current socket. */
  requests: number;
  /** Ends the request in progress together with its socket. */
  breakOff: () => void;
  /** The request has ended, with a complete response or not: the next one may use the connection. */
  release: () => void;
};

/** The handler of a request, which learns its connection. */
export type ConnectionUser = Dispatcher.DispatchHandler & {
  use: (connection: Connection) => void;
  /** Whether its request need not be sent any more. */
  isSettled: () => boolean;
};

/** The connections of a webhook client, by origin. */
export type Connections = {
  /** Sends a request on an idle connection, a new one, or, when there are as many as allowed, on the next that is free. */
  dispatch: (origin: string, request: Dispatcher.DispatchOptions, exchange: ConnectionUser) => void;
  close: () => Promise<void>;
};

type Waiting = { request: Dispatcher.DispatchOptions; exchange: ConnectionUser };
type Open = Connection & { client: Client; isConnected: boolean };
type Origin = { all: Set<Open>; idle: Open[]; waiting: Waiting[] };

/**
 * Opens the connections. Each is a client of undici of its own: undici's pools do not say which connection carries a
 * request, and the result of an attempt has the times of its connection.
 */
export function openConnections(
  connector: GuardedConnector,
  clientOptions: Client.Options,
  maxPerOrigin: number,
): Connections {
  const origins = new Map<string, Origin>();

  function openConnection(url: string, origin: Origin): Open {
    const client = new Client(url, {
      ...clientOptions,
      connect: (target, callback) => {
        connector.open(target).then(
          ({ socket, timings }) => {
            Object.assign(connection, { timings, requests: 0, isConnected: true });
            callback(null, socket);
          },
          (error: Error) => callback(error, null),
        );
      },
    });
    const remove = (): void => {
      if (!origin.all.delete(connection)) return;
      origin.idle = origin.idle.filter((idle) => idle !== connection);
      void client.destroy(new Error('the attempt is over'));
    };
    const sendNext = (): void => {
      let next = origin.waiting.shift();
      // The time of some ran out while they waited.
      while (next?.exchange.isSettled()) next = origin.waiting.shift();
      if (next) send(url, origin, next);
      else if (origin.all.size === 0) origins.delete(url);
    };
    const connection: Open = {
      client,
      timings: {},
      requests: 0,
      isConnected: false,
      breakOff: () => {
        remove();
        sendNext();
      },
      release: () => {
        if (!origin.all.has(connection)) return;
        if (connection.isConnected) origin.idle.push(connection);
        else remove();
        sendNext();
      },
    };
    client.on('disconnect', () => {
      connection.isConnected = false;
      if (origin.idle.includes(connection)) {
        remove();
        sendNext();
      }
    });
    origin.all.add(connection);
    return connection;
  }

  function send(url: string, origin: Origin, { request, exchange }: Waiting): void {
    const connection =
      origin.idle.pop() ?? (origin.all.size < maxPerOrigin ? openConnection(url, origin) : undefined);
    if (!connection) return void origin.waiting.push({ request, exchange });
    exchange.use(connection);
    connection.client.dispatch(request, exchange);
  }

  return {
    dispatch(url, request, exchange) {
      let origin = origins.get(url);
      if (!origin) origins.set(url, (origin = { all: new Set(), idle: [], waiting: [] }));
      send(url, origin, { request, exchange });
    },
    async close() {
      connector.close();
      const open = [...origins.values()].flatMap(({ all }) => [...all]);
      origins.clear();
      await Promise.all(open.map(({ client }) => client.destroy()));
    },
  };
}
