import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from './logger.ts';

/** An HTTP server that accepts connections. */
export interface RunningServer {
  /** Where this machine reaches the server, without a slash at the end. */
  url: string;
  /** Accepts no more connections, and resolves when the requests in flight are answered. */
  close(): Promise<void>;
}

/** Starts listening. Port 0 takes any free port. */
export async function listen(server: Server, host: string, port: number): Promise<RunningServer> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    url: urlOf(server.address() as AddressInfo),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await closed;
    },
  };
}

/**
 * Serves HTTP until the process ends. A request listener gets a server that disconnects slow clients: after 10 seconds
 * without all headers, or 30 seconds without the complete request.
 */
export async function serve(
  app: Server | RequestListener,
  { host, port }: { host: string; port: number },
  { log, release }: { log: Logger; release(name: string, close: () => unknown): void },
): Promise<{ url: string }> {
  const server =
    typeof app === 'function' ? createServer({ headersTimeout: 10_000, requestTimeout: 30_000 }, app) : app;
  const { url, close } = await listen(server, host, port);
  release('HTTP server', close);
  log.info('listening', { url });
  return { url };
}

function urlOf({ family, address, port }: AddressInfo): string {
  // A server on all addresses is reached on the loopback address.
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (address === '::') return `http://[::1]:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
