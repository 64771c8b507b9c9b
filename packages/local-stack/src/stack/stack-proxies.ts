import { startTcpProxy } from '../servers/tcp-proxy.ts';
import type { TcpProxy } from '../servers/tcp-proxy.ts';
import type { StackServers } from './stack-servers.ts';

/** A process, and a server that it reaches through a proxy. */
export interface ProxiedServer {
  process: string;
  server: 'redis' | 'postgres';
}

/** The proxies of a stack. */
export interface StackProxies {
  /** The URLs of the servers that a process reaches through a proxy, as settings. */
  urlsOf(process: string): Record<string, string>;
  /** @throws when there is no proxy between the two */
  find(process: string, server: ProxiedServer['server']): TcpProxy;
  close(): Promise<void>;
}

/** Starts a proxy for each pair of process and server. */
export async function startProxies(pairs: ProxiedServer[], servers: StackServers): Promise<StackProxies> {
  const urls = { redis: servers.redisUrl, postgres: servers.databaseUrl };
  const settings = { redis: 'REDIS_URL', postgres: 'DATABASE_URL' };
  const started = await Promise.all(
    pairs.map(async (pair) => ({ ...pair, proxy: await startTcpProxy(urls[pair.server]) })),
  );
  return {
    urlsOf: (name) =>
      Object.fromEntries(
        started
          .filter(({ process }) => process === name)
          .map(({ server, proxy }) => [settings[server], proxy.url]),
      ),
    find(name, server) {
      const found = started.find((one) => one.process === name && one.server === server);
      if (!found) throw new Error(`There is no proxy between ${name} and ${server} in this stack`);
      return found.proxy;
    },
    async close() {
      await Promise.all(started.map(({ proxy }) => proxy.close()));
    },
  };
}
