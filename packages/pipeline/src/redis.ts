import { parseRedisUrl } from '@rewardhook/process';
import type { Log, RedisAddress } from '@rewardhook/process';
import { Cluster, Command, Redis as SingleRedis } from 'ioredis';
import type { ClusterOptions, RedisOptions } from 'ioredis';

/** A connection to Redis: to one server (also one that Sentinel names), or to the nodes of a cluster. */
export type Redis = SingleRedis | Cluster;

/** How long a command may take while somebody waits for a response, in milliseconds. */
export const commandTimeoutMs = 1_000;

/**
 * The same for the connection of an intake. The intake itself waits no longer than a second, and 4 KB more for each millisecond: this
 * is more than the time of 2 MiB.
 */
export const intakeCommandTimeoutMs = 2_000;

/**
 * The same for a worker that enqueues jobs. It is longer than most stalls of Redis, such as a slow sync of its file: a job that
 * could not be enqueued waits 15 s for the sweeper.
 */
export const workerCommandTimeoutMs = 5_000;

/**
 * Opens a connection for commands that must not wait for Redis to come back. A command fails at once while Redis is unavailable,
 * and after `timeoutMs` while it does not answer. Commands are never kept for later and never sent twice, so that no job appears after
 * its request was refused.
 */
export function connectProducer(url: string, log: Log, timeoutMs = commandTimeoutMs): Redis {
  const options: RedisOptions = {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: timeoutMs,
    connectTimeout: 2_000,
    retryStrategy: (times) => Math.min(50 * times, 500),
    reconnectOnError: (error) => isDemoted(error),
  };
  const clusterOptions: ClusterOptions = {
    enableOfflineQueue: false,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    clusterRetryStrategy: (times) => Math.min(50 * times, 500),
  };
  return reportState(open(parseRedisUrl(url), options, clusterOptions), log);
}

/** Opens a connection for a worker. Its commands wait until Redis is back, without a limit. */
export function connectWorker(url: string, log: Log): Redis {
  const options: RedisOptions = {
    maxRetriesPerRequest: null,
    connectTimeout: 2_000,
    retryStrategy: (times) => Math.min(100 * times, 1_000),
    // Sends the refused command again: the server that demoted itself has not executed it.
    reconnectOnError: (error) => (isDemoted(error) ? 2 : false),
  };
  const clusterOptions: ClusterOptions = {
    maxRedirections: 1_000_000,
    retryDelayOnFailover: 200,
    retryDelayOnClusterDown: 200,
    clusterRetryStrategy: (times) => Math.min(100 * times, 1_000),
  };
  return reportState(open(parseRedisUrl(url), options, clusterOptions), log);
}

/**
 * A connection to one server that is used only in its database. ioredis reports an error when it cannot select the database, and
 * goes on in database 0. This connection is closed then, and opened again, before any other command is sent.
 */
class NumberedRedis extends SingleRedis {
  constructor(options: RedisOptions) {
    super({ ...options, replyMapping: 'legacy' });
    this.on('error', () => {
      if (this.status === 'connect') this.disconnect(true);
    });
  }

  /** BullMQ calls this for the connection on which a worker waits for jobs. */
  override duplicate<Changes extends Partial<RedisOptions> | undefined = undefined>(changes?: Changes) {
    // The type of ioredis depends on an option for the form of replies, which is never changed here.
    type Duplicate = ReturnType<typeof SingleRedis.prototype.duplicate<Changes>>;
    return new NumberedRedis({ ...this.options, ...changes }) as unknown as Duplicate;
  }
}

/** Connections that were closed. The duplicates of them that BullMQ makes, with the same options, do not reconnect then. */
const closed = new WeakSet<Redis>();

/** How often the nodes of a cluster are asked which of them has which keys, in milliseconds. */
const slotsRefreshMs = 1_000;

/** Opens the client that ioredis has for the kind of address. */
function open(address: RedisAddress, options: RedisOptions, clusterOptions: ClusterOptions): Redis {
  const { kind, nodes, tls, username, password, database } = address;
  const shared: RedisOptions = {
    ...options,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    // The CA of the system, and that of NODE_EXTRA_CA_CERTS.
    ...(tls ? { tls: {} } : {}),
  };
  if (kind === 'cluster') {
    const {
      retryStrategy: _ofClusterOptions,
      enableOfflineQueue: _alsoOfClusterOptions,
      ...redisOptions
    } = shared;
    const cluster: Cluster = new Cluster(nodes, {
      ...clusterOptions,
      clusterRetryStrategy: (times, reason) =>
        closed.has(cluster) ? null : clusterOptions.clusterRetryStrategy?.(times, reason),
      redisOptions,
      slotsRefreshInterval: slotsRefreshMs,
      slotsRefreshTimeout: 2_000,
      // With TLS a name must stay a name, because the certificate is for the name.
      ...(tls ? { dnsLookup: (host, done) => done(null, host) } : {}),
    });
    return cluster;
  }
  if (kind === 'server') return new NumberedRedis({ ...shared, ...nodes[0], db: database });
  const { masterName = '', sentinelUsername, sentinelPassword } = address;
  return new NumberedRedis({
    ...shared,
    db: database,
    name: masterName,
    sentinels: nodes,
    sentinelRetryStrategy: (times) => Math.min(100 * times, 1_000),
    // A master that hangs is replaced: the connection to it ends, and the next one is to the new master. Longer than a
    // worker waits for a job (10 s). Not `failoverDetector`: its announcement of a new master ends a client for good
    // when it is just connecting.
    socketTimeout: options.commandTimeout === undefined ? 15_000 : 2 * options.commandTimeout,
    ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
    ...(tls ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
  });
}

/** Whether the server has become a replica: the connection must find the new master. */
function isDemoted({ message }: Error): boolean {
  return /^(READONLY|UNBLOCKED)\b/.test(message);
}

/** The connections to the masters: one without a cluster. */
export function mastersOf(redis: Redis): SingleRedis[] {
  return redis instanceof Cluster ? redis.nodes('master') : [redis];
}

/** The connection that commands with this key use; undefined while it is unknown which node has the key. */
export function connectionOf(redis: Redis, key: string): SingleRedis | undefined {
  if (!(redis instanceof Cluster)) return redis;
  const node = redis.slots[new Command('get', [key]).getSlot()]?.[0];
  return redis.nodes('master').find(({ options }) => `${options.host}:${options.port}` === node);
}

/** Logs each change between reachable and unreachable once, instead of every failed attempt to connect. */
function reportState(redis: Redis, log: Log): Redis {
  let reachable: boolean | undefined;
  redis.on('ready', () => {
    if (reachable === false) log.info('Redis is reachable again');
    reachable = true;
  });
  redis.on('error', (error: Error) => {
    const problem = error.name === 'ReplyError' ? 'Redis refuses the connection' : 'Redis is unreachable';
    if (reachable !== false) log.error(`${problem}, reconnecting`, { error });
    reachable = false;
  });
  return redis;
}

/** Closes a connection: after its pending commands when Redis is reachable, otherwise at once. */
export async function disconnect(redis: Redis): Promise<void> {
  closed.add(redis);
  if (redis.status === 'ready') await redis.quit().catch(() => redis.disconnect());
  else redis.disconnect();
}

/** Whether a command failed because Redis is unreachable, did not answer or is failing over. */
export function isRedisUnavailable(error: unknown): boolean {
  const { name, message } = (error ?? {}) as { name?: string; message?: string };
  return (
    name === 'MaxRetriesPerRequestError' ||
    name === 'ClusterAllFailedError' ||
    /^(Command timed out|Connection is closed\.?|Stream isn't writeable|Cluster isn't ready|Too many Cluster redirections)/.test(
      message ?? '',
    ) ||
    /^(READONLY|CLUSTERDOWN|MASTERDOWN|NOREPLICAS|LOADING|TRYAGAIN)\b/.test(message ?? '')
  );
}
