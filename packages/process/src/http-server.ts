import { createServer } from 'node:http';
import type { RequestListener, Server, ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { openDrain } from './drain-connections.ts';
import { guardConnections } from './guard-connections.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';

/** An HTTP server that accepts connections. */
export interface RunningServer {
  /** Where this machine reaches the server, without a slash at the end. */
  url: string;
  /** Accepts no more connections, and resolves when the requests in flight are answered. */
  close(): Promise<void>;
}

/**
 * Connections that wait to be accepted. Node accepts one in each iteration of the event loop (libuv 1.45 and later). When they
 * do not fit, a client tries again after 1, 3, 7 and 15 seconds. Linux allows `net.core.somaxconn` of them, by default 4,096.
 */
const backlog = 4_096;

/** Starts listening. Port 0 takes any free port. */
export async function listen(server: Server, host: string, port: number): Promise<RunningServer> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog }, resolve);
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
 * Slow clients are disconnected. Idle connections stay open for longer than load balancers keep them (setting
 * HTTP_KEEP_ALIVE_SECONDS): a request that is sent while the server closes its connection fails.
 */
const defaults: ServerOptions = { headersTimeout: 10_000, requestTimeout: 30_000 };

/** Where and how a process serves HTTP. */
export interface ServeOptions {
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** How long connections are still accepted after SIGTERM, in seconds (setting SHUTDOWN_DELAY_SECONDS). */
  shutdownDelaySeconds: number;
  /** How long an idle connection is kept open, in seconds (setting HTTP_KEEP_ALIVE_SECONDS). */
  keepAliveSeconds: number;
  /** Time-outs and limits of Node's server that differ from the defaults above. */
  server?: ServerOptions;
  /** Called with the server before it listens. */
  prepare?(server: Server): void;
}

/** What `serve` uses of a process. */
interface ServingProcess {
  log: Logger;
  metrics: Metrics;
  release(name: string, close: () => unknown): void;
  shutdown: AbortSignal;
}

/**
 * Serves HTTP until the process ends. The end is graceful: when the shutdown begins, every answer gets
 * `Connection: close`. New connections are accepted until the delay has passed, so that a load balancer can see that
 * the process is not ready. Then idle connections are closed, and requests in flight are answered.
 * Clients that do not read their answers, or send too many requests at once, are disconnected.
 */
export async function serve(
  app: RequestListener,
  { host, port, shutdownDelaySeconds, keepAliveSeconds, server: options, prepare }: ServeOptions,
  { log, metrics, release, shutdown }: ServingProcess,
): Promise<{ url: string }> {
  const server = createServer({ ...defaults, keepAliveTimeout: keepAliveSeconds * 1_000, ...options });
  const drain = openDrain(server, app);
  const { unreadBytes } = guardConnections(server, drain.handle, { log, metrics });
  metrics.gauge('unread_answer_bytes', 'Bytes of answers that clients have not read yet', unreadBytes);
  prepare?.(server);
  const { url } = await listen(server, host, port);
  shutdown.addEventListener('abort', drain.begin);
  release('HTTP server', async () => {
    drain.begin();
    await setTimeout(shutdownDelaySeconds * 1_000);
    await drain.end();
  });
  log.info('listening', { url });
  return { url };
}

function urlOf({ family, address, port }: AddressInfo): string {
  // A server on all addresses is reached on the loopback address.
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (address === '::') return `http://[::1]:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
