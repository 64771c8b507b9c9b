/** Where Redis is, read from REDIS_URL. */
export interface RedisAddress {
  /** One server, a Redis Cluster, or a server that Sentinel names. */
  kind: 'server' | 'cluster' | 'sentinel';
  /** The server, one or more nodes of the cluster, or the Sentinels. */
  nodes: { host: string; port: number }[];
  tls: boolean;
  /** The ACL user; the default user when only a password is given. */
  username?: string;
  password?: string;
  /** Number of the database. A cluster has only database 0. */
  database: number;
  /** The name of the master that the Sentinels watch. */
  masterName?: string;
  /** The login at the Sentinels, which is separate from that at the server. */
  sentinelUsername?: string;
  sentinelPassword?: string;
}

const pattern = /^(rediss?)(-cluster|-sentinel)?:\/\/(?:([^@/?]*)@)?([^@/?]+)(?:\/([^?]*))?(?:\?(.*))?$/;

/**
 * Reads a URL of Redis. `s` after `redis` means TLS:
 *
 * - `redis://[user:password@]host[:port][/database]`
 * - `redis-cluster://[user:password@]host[:port][,host[:port]…]`: one node suffices, it names the others
 * - `redis-sentinel://[user:password@]sentinel[:port][,sentinel[:port]…]/master[?db=0&sentinelUsername=…&sentinelPassword=…]`
 *
 * Special characters of passwords are percent-encoded.
 * @throws Error that names what is wrong, without the URL
 */
export function parseRedisUrl(url: string): RedisAddress {
  const [, scheme, mode = '', login, hosts = '', path = '', query = ''] = pattern.exec(url) ?? [];
  if (scheme === undefined)
    throw new Error('must be redis://, redis-cluster:// or redis-sentinel:// (rediss… for TLS) and a host');
  const kind = mode === '' ? 'server' : (mode.slice(1) as 'cluster' | 'sentinel');
  const nodes = hosts.split(',').map((host) => parseNode(host, kind === 'sentinel' ? 26_379 : 6_379));
  if (kind === 'server' && nodes.length > 1)
    throw new Error('must name one host, or be redis-cluster:// or redis-sentinel://');
  const parameters = new URLSearchParams(query);
  const address: RedisAddress = { kind, nodes, tls: scheme === 'rediss', database: 0, ...parseLogin(login) };
  if (kind === 'sentinel') {
    address.masterName = decode(path);
    if (!address.masterName)
      throw new Error('must end with the name of the master: redis-sentinel://host/name');
    for (const name of ['sentinelUsername', 'sentinelPassword'] as const) {
      const value = parameters.get(name);
      if (value) address[name] = value;
    }
  }
  const database = (kind === 'sentinel' ? parameters.get('db') : path) || '0';
  if (!/^\d{1,5}$/.test(database)) throw new Error('must have a number as its database');
  address.database = Number(database);
  if (kind === 'cluster' && address.database !== 0) throw new Error('must not name a database of a cluster');
  return address;
}

function parseNode(text: string, defaultPort: number): { host: string; port: number } {
  const [, ipv6, name, port] = /^(?:\[([\da-f:.]+)\]|([^:\s[\]]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = ipv6 ?? name;
  const number = Number(port ?? defaultPort);
  if (host === undefined || number < 1 || number > 65_535)
    throw new Error('must list hosts as host or host:port, separated by commas');
  return { host, port: number };
}

function parseLogin(login: string | undefined): Pick<RedisAddress, 'username' | 'password'> {
  if (!login) return {};
  const colon = login.indexOf(':');
  const username = decode(colon < 0 ? login : login.slice(0, colon));
  const password = colon < 0 ? '' : decode(login.slice(colon + 1));
  return { ...(username ? { username } : {}), ...(password ? { password } : {}) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('must percent-encode special characters of names and passwords');
  }
}
