import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { act, later } from './perform-behaviour.ts';
import type { HostileBehaviour, HostileGreeting } from './behaviour.ts';
import type { SelfSigned } from './self-signed.ts';
import { readRequests, type HostileRequest } from './read-requests.ts';

export interface HostileOptions {
  /** Speaks TLS with this certificate, see `selfSigned`. */
  tls?: SelfSigned | undefined;
  /** For requests whose path has no script; a plain 200 unless told. */
  behave?: ((request: HostileRequest) => HostileBehaviour) | undefined;
  /** For each connection when it comes (1, 2, …); nothing unless told. */
  greet?: ((connection: number) => HostileGreeting | undefined) | undefined;
  /** Default 127.0.0.1. */
  host?: string | undefined;
}

/** A receiver on loopback that misbehaves as it is told, and counts. */
export interface HostileReceiver {
  /** Without a slash at the end; https when it speaks TLS. */
  url: string;
  port: number;
  /** Connections accepted since the start, and those that are still open. */
  connections(): number;
  openConnections(): number;
  /** All requests whose head has come, oldest first. */
  requests: HostileRequest[];
  /** Bytes that were handed to the network, TLS and all. */
  bytesSent(): number;
  /** The first request to this path meets the first behaviour, and so on; the last one stays. */
  script(path: string, ...behaviours: [HostileBehaviour, ...HostileBehaviour[]]): void;
  /** Reads on where it had stopped reading, and throws it away: only then can it see who has hung up. */
  readOn(): void;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** Starts it on a free port. */
export async function startHostileReceiver(options: HostileOptions = {}): Promise<HostileReceiver> {
  const { tls, behave = () => ({ does: 'answer' }), greet, host = '127.0.0.1' } = options;
  const scripts = new Map<string, HostileBehaviour[]>();
  const requests: HostileRequest[] = [];
  const open = new Set<Socket>();
  /** A TLS socket does not tell which socket it wraps, but both have the same port on the other side. */
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
    if (greeting?.does === 'say') socket.write(greeting.bytes);
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
      if (stopsHere) act(socket, behaviour);
      return stopsHere ? undefined : () => act(socket, behaviour);
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
