import { Cluster } from 'ioredis';
import type { Redis as SingleRedis } from 'ioredis';
import { connectionOf, mastersOf } from './redis.ts';
import type { Redis } from './redis.ts';
import { usedShare } from './redis-memory.ts';
import { watchRedis } from './redis-watch.ts';
import type { RedisState, RedisWatch, WatchOptions } from './redis-watch.ts';

/** The last known state of the servers that have the keys of the shards. */
export interface MastersWatch extends RedisWatch {
  /** Why the server of these shards cannot accept orders now; undefined when it can. Default: all shards. */
  refusal(prefixes?: string[]): string | undefined;
}

/** Watches the one server, or every master of a cluster. `prefixes` are those of the shards. */
export function watchMasters(redis: Redis, prefixes: string[], options: WatchOptions): MastersWatch {
  return redis instanceof Cluster ? watchNodes(redis, prefixes, options) : watchRedis(redis, options);
}

function watchNodes(cluster: Cluster, allPrefixes: string[], options: WatchOptions): MastersWatch {
  const watches = new Map<SingleRedis, RedisWatch>();
  const follow = () => {
    const masters = mastersOf(cluster);
    for (const [node, watch] of watches) {
      if (masters.includes(node)) continue;
      watch.close();
      watches.delete(node);
    }
    for (const node of masters) {
      if (watches.has(node)) continue;
      watches.set(node, watchRedis(node, options));
      // Connections to nodes are opened by their first command, which must not be that of a request.
      if (node.status === 'wait') node.connect().catch(() => undefined);
    }
  };
  const timer = setInterval(follow, options.intervalMs);
  cluster.on('ready', follow);

  const watchOf = (prefix: string) => {
    const node = connectionOf(cluster, prefix);
    return node && watches.get(node);
  };
  const state = (): RedisState => {
    if (cluster.status !== 'ready') return 'unreachable';
    const states = allPrefixes.map((prefix) => watchOf(prefix)?.state() ?? 'unreachable');
    return states.find((one) => one !== 'ok') ?? 'ok';
  };
  return {
    state,
    refusal(prefixes = allPrefixes) {
      if (cluster.status !== 'ready') return 'Redis is unreachable';
      for (const prefix of prefixes) {
        const watch = watchOf(prefix);
        const refusal = watch ? watch.refusal() : 'A node of the Redis Cluster is unreachable';
        if (refusal) return refusal;
      }
      return undefined;
    },
    /** That of the fullest node. */
    memory() {
      const known = Array.from(watches.values()).flatMap((watch) => watch.memory() ?? []);
      return known.sort((one, other) => (usedShare(other) ?? 0) - (usedShare(one) ?? 0))[0];
    },
    close() {
      clearInterval(timer);
      cluster.off('ready', follow);
      for (const watch of watches.values()) watch.close();
    },
  };
}
