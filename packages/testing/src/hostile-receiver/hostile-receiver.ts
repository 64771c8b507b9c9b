import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { later, perform } from './perform-behaviour.ts';
import type { HostileBehaviour, HostileGreeting } from './behaviour.ts';
import type { SelfSigned } from './self-signed.ts';
import { readRequests, type HostileRequest } from './read-requests.ts';

export interface HostileOptions {
  /** Use TLS with this certificate, see `selfSigned`. */
  tls?: SelfSigned | undefined;
  /** The behaviour for requests whose path has no script; default: a response 200. */
  behave?: ((request: HostileRequest) => HostileBehaviour) | undefined;
  /** The behaviour for each new connection (1, 2, …); default: none. */
  greet?: ((connection: number) => HostileGreeting | undefined) | undefined;
  /** Default 127.0.0.1. */
  host?: string | undefined;
}

/** A receiver on loopback that misbehaves as configured, and counts connections and bytes. */
export interface HostileReceiver {
  /** Without a trailing slash; https when it uses TLS. */
  url: string;
  port: number;
  /** Connections accepted since the start, and those that are still open. */
  connections(): number;
  openConnections(): number;
  /** All requests whose head has arrived, oldest first. */
  requests: HostileRequest[];
  /** Bytes that were sent, including those of TLS. */
  bytesSent(): number;
  /** The first request to this path gets the first behaviour, and so on. The last one is repeated. */
  script(path: string, ...behaviours: [HostileBehaviour, ...HostileBehaviour[]]): void;
  /** Resumes reading and discards the data. Only then are closed connections noticed. */
  readOn(): void;
  /** Stops the receiver and closes all connections. */
  close(): Promise<void>;
}

/** Starts a hostile receiver on a free port. */
export async function startHostileReceiver(options: HostileOptions = {}): Promise<HostileReceiver> {
  const { tls, behave = () => ({ does: 'answer' }), greet, host = '127.0.0.1' } = options;
  const scripts = new Map<string, HostileBehaviour[]>();
  const requests: HostileRequest[] = [];
  const open = new Set<Socket>();
  /** A TLS socket does not expose the socket that it wraps, but both have the same remote port. */
  const numberOfPort = new Map<number, number>();
  let connections = 0;
  let sentOnClosed = 0;

  const tlsServer = tls && createTlsServer(tls, serve).on('tlsClientError', () => undefined);
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    const number = ++connections;
    open.add(socket);
    socket
      .on('error', () => undefined)
      .on('close', () => {
        open.delete(socket);
        sentOnClosed += handedOver(socket);
      });
    const greeting = greet?.(number);
    if (greeting?.does === 'send') socket.write(greeting.bytes);
    if (greeting?.does === 'hang') return;
    if (greeting?.does === 'close') return void socket.resume().end();
    if (greeting?.does === 'reset') return void socket.resetAndDestroy();
    later(socket, greeting?.does === 'wait' ? greeting.ms : undefined, () => {
      socket.resume();
      if (!tlsServer) return serve(socket, number);
      numberOfPort.set(socket.remotePort ?? 0, number);
      tlsServer.emit('connection', socket);
    });
  });

  function serve(socket: Socket, number = numberOfPort.get(socket.remotePort ?? 0) ?? 0): void {
    socket.on('error', () => undefined);
    readRequests(socket, number, (request) => {
      requests.push(request);
      const behaviour = next(request);
      const stopsHere = 'at' in behaviour && behaviour.at === 'head';
      if (stopsHere) perform(socket, behaviour);
      return stopsHere ? undefined : () => perform(socket, behaviour);
    });
  }

  function next(request: HostileRequest): HostileBehaviour {
    const script = scripts.get(request.path);
    return (script && script.length > 1 ? script.shift() : script?.[0]) ?? behave(request);
  }

  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    connections: () => connections,
    openConnections: () => open.size,
    requests,
    bytesSent: () => [...open].reduce((sum, socket) => sum + handedOver(socket), sentOnClosed),
    script: (path, ...behaviours) => void scripts.set(path, behaviours),
    readOn: () => open.forEach((socket) => socket.resume()),
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

function handedOver(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}
