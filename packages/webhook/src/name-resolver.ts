import { promises as dns } from 'node:dns';
import { setTimeout as delay } from 'node:timers/promises';

/** All addresses of a host name, at least one; rejects with a DNS error code when there is none. */
export type ResolveName = (name: string) => Promise<string[]>;

/** How long a found IPv4 address waits for the IPv6 answer (RFC 8305, "resolution delay"). */
const resolutionDelayMs = 50;

/**
 * A resolver of A and AAAA records by c-ares; `servers` (`host:port`) replace those of the machine.
 *
 * `dns.lookup` would run on the 4 threads that files, zlib and crypto share: four endpoints with a silent
 * name server would stop everybody's deliveries. It is the fallback only where no name server listens at
 * all, that is on machines that resolve by other means. Hosts files and search domains are not consulted
 * otherwise, which suits public names.
 */
export function nameResolver(servers?: string[]): ResolveName {
  return async (name) => {
    // One for each name (0.05 ms): a late question can then be withdrawn without hurting the others.
    const resolver = new dns.Resolver({ timeout: 2000, tries: 2 });
    if (servers) resolver.setServers(servers);
    const v4 = resolver.resolve4(name);
    const v6 = resolver.resolve6(name).catch((): string[] => []);
    try {
      const found = await v4;
      return found.concat(await Promise.race([v6, delay(resolutionDelayMs, [])]));
    } catch (error) {
      const found = await v6;
      if (found.length > 0) return found;
      if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error;
      return (await dns.lookup(name, { all: true })).map(({ address }) => address);
    } finally {
      resolver.cancel();
    }
  };
}
