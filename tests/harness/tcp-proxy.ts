import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A TCP proxy in front of a server, which a test can close and suspend. */
export interface TcpProxy {
  /** The URL of the server through the proxy. */
  url: string;
  /**
   * `open` forwards; `cut` closes all connections and refuses new ones; `frozen` accepts data and forwards nothing; `mute`
   * forwards requests, and closes the connection instead of forwarding the response.
   */
  set(state: 'open' | 'cut' | 'frozen' | 'mute'): void;
  /** Forwards this number of bytes to the server, then closes all connections and refuses new ones. */
  cutAfter(bytes: number): void;
  close(): Promise<void>;
}

/** Starts a proxy on 127.0.0.1 in front of the server of a URL. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  let state: 'open' | 'cut' | 'frozen' | 'mute' = 'open';
  let left = Number.POSITIVE_INFINITY;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    if (state === 'cut') return void client.destroy();
    const upstream = connect({ host: hostname, port: Number(port) });
    keep(client);
    keep(upstream);
    client.on('data', (chunk: Buffer) => {
      if (state !== 'open' && state !== 'mute') return;
      if (chunk.length < left) {
        left -= chunk.length;
        return void upstream.write(chunk);
      }
      state = 'cut';
      client.destroy();
      upstream.end(chunk.subarray(0, left));
    });
    upstream.on('data', (chunk) => {
      if (state === 'open') client.write(chunk);
      if (state === 'mute') client.destroy();
    });
    client.on('close', () => upstream.destroySoon());
    upstream.on('close', () => client.destroy());
  });
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    set(next) {
      // Data that arrived while the proxy was frozen is lost, so those connections are closed.
      if (next === 'cut' || state === 'frozen') endAll();
      state = next;
      left = Number.POSITIVE_INFINITY;
    },
    cutAfter: (bytes) => void (left = bytes),
    async close() {
      endAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
