import { Agent, request as sendRequest } from 'node:http';
import type { ClientRequest, ClientRequestArgs } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ConnectTimings } from './attempt-failure.ts';
import type { ConnectTarget, GuardedConnector } from './guarded-connector.ts';

/** How long it took to open a connection, and the requests that it has carried. */
export type ConnectionUse = { timings: ConnectTimings; requests: number };

/** One request: where it goes and what it says. The body is sent by the caller. */
export type RequestHead = ConnectTarget & {
  origin: string;
  path: string;
  method: string;
  headers: Readonly<Record<string, string>>;
};

/** Limits of the connections; `maxHeaderSize` in bytes, `keepAliveMs` is how long an idle one stays open. */
export type ConnectionLimits = {
  maxPerOrigin: number;
  maxHeaderSize: number;
  keepAliveMs: number;
  maxRequestsPerConnection: number;
};

/** The connections of a webhook client. */
export type Connections = {
  /** Calls `begin` when fewer requests than allowed are in progress to the origin, at the latest when one has ended. */
  reserve: (origin: string, begin: (release: () => void) => void) => void;
  /** Starts a request on an idle connection, if there is one and `onNewConnection` is false, or on a new one. */
  send: (head: RequestHead, options: { onNewConnection: boolean }) => ClientRequest;
  /** What is known about a socket that `send` uses. */
  useOf: (socket: Duplex) => ConnectionUse;
  close: () => void;
};

/** Opens the connections: agents of Node whose sockets the guard opens. */
export function openConnections(connector: GuardedConnector, limits: ConnectionLimits): Connections {
  const { maxPerOrigin, maxHeaderSize } = limits;
  const uses = new WeakMap<Duplex, ConnectionUse>();
  const useOf = (socket: Duplex): ConnectionUse => uses.get(socket) ?? { timings: {}, requests: 0 };
  const agentFor = (protocol: ConnectTarget['protocol'], keepAlive: boolean): GuardedAgent =>
    new GuardedAgent(connector, uses, { protocol, keepAlive, limits });
  // The agent for new connections keeps none, so it never has an idle one.
  const agents = {
    'http:': { shared: agentFor('http:', true), fresh: agentFor('http:', false) },
    'https:': { shared: agentFor('https:', true), fresh: agentFor('https:', false) },
  };
  const origins = new Map<string, { inProgress: number; waiting: (() => void)[] }>();

  return {
    useOf,

    reserve(url, begin) {
      const origin = origins.get(url) ?? { inProgress: 0, waiting: [] };
      origins.set(url, origin);
      const start = (): void => {
        origin.inProgress += 1;
        begin(() => {
          origin.inProgress -= 1;
          const next = origin.waiting.shift();
          if (next) next();
          else if (origin.inProgress === 0) origins.delete(url);
        });
      };
      if (origin.inProgress < maxPerOrigin) start();
      else origin.waiting.push(start);
    },

    send({ protocol, hostname, port, path, method, headers }, { onNewConnection }) {
      const { shared, fresh } = agents[protocol];
      return sendRequest({
        agent: onNewConnection ? fresh : shared,
        host: hostname,
        port,
        path,
        method,
        headers: { ...headers, connection: 'keep-alive' },
        maxHeaderSize,
      });
    },

    close() {
      connector.close();
      origins.clear();
      for (const { shared, fresh } of Object.values(agents)) {
        shared.destroy();
        fresh.destroy();
      }
    },
  };
}

type GuardedAgentOptions = {
  protocol: ConnectTarget['protocol'];
  keepAlive: boolean;
  limits: ConnectionLimits;
};

/**
 * An agent whose connections the guard opens, TLS included: for Node they are sockets like any other. An idle connection that
 * receives bytes is closed: they belong to no request, and the next one would read them as its response.
 */
class GuardedAgent extends Agent {
  readonly #connector: GuardedConnector;
  readonly #uses: WeakMap<Duplex, ConnectionUse>;
  readonly #protocol: ConnectTarget['protocol'];
  readonly #maxRequests: number;

  constructor(
    connector: GuardedConnector,
    uses: WeakMap<Duplex, ConnectionUse>,
    { protocol, keepAlive, limits }: GuardedAgentOptions,
  ) {
    super({ keepAlive, timeout: limits.keepAliveMs, maxFreeSockets: limits.maxPerOrigin });
    this.#connector = connector;
    this.#uses = uses;
    this.#protocol = protocol;
    this.#maxRequests = limits.maxRequestsPerConnection;
  }

  override createConnection(
    { host, port }: ClientRequestArgs,
    callback: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const target = { protocol: this.#protocol, hostname: String(host), port: Number(port) };
    const failed = callback as (error: Error) => void;
    this.#connector.open(target).then(({ socket, timings }) => {
      this.#uses.set(socket, { timings, requests: 0 });
      callback(null, socket);
    }, failed);
  }

  override keepSocketAlive(socket: Duplex): boolean {
    if ((this.#uses.get(socket)?.requests ?? 0) >= this.#maxRequests) return false;
    // Node's own method observes a `Keep-Alive: timeout` of the server, and returns false when that is 0.
    const keep: unknown = super.keepSocketAlive(socket);
    if (keep !== true) return false;
    socket.on('data', destroyThis);
    return true;
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    socket.off('data', destroyThis);
    super.reuseSocket(socket, request);
  }
}

function destroyThis(this: Duplex): void {
  this.destroy();
}
