import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A server's address with a line in between that a test can cut and freeze. */
export interface TcpProxy {
  /** The server's URL, leading through the proxy. */
  url: string;
  /**
   * `open` passes on; `cut` ends what there is and refuses more; `frozen` takes everything and passes on nothing; `mute`
   * passes on what is asked, and ends the connection instead of passing on the answer.
   */
  set(state: 'open' | 'cut' | 'frozen' | 'mute'): void;
  close(): Promise<void>;
}

/** Puts a proxy on 127.0.0.1 before the server of a URL. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  let state: 'open' | 'cut' | 'frozen' | 'mute' = 'open';
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
    client.on('data', (chunk) => (state === 'open' || state === 'mute') && upstream.write(chunk));
    upstream.on('data', (chunk) => {
      if (state === 'open') client.write(chunk);
      if (state === 'mute') client.destroy();
    });
    client.on('close', () => upstream.destroy());
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
      // What was swallowed while it was frozen is lost: those connections are of no use any more.
      if (next === 'cut' || state === 'frozen') endAll();
      state = next;
    },
    async close() {
      endAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
