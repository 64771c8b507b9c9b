import { join } from 'node:path';
import { freePorts } from '../processes/free-ports.ts';
import { waitFor } from '../wait-for.ts';
import { redisCommand } from './redis-command.ts';
import { startRedis } from './redis.ts';
import type { Server } from './server.ts';

export interface RedisClusterOptions {
  /** A folder for the data of the nodes. */
  dir: string;
  /** Number of masters; default 3. They share the slots evenly. */
  masters?: number;
  /** Number of replicas of each master; default 0. */
  replicas?: number;
  /** More arguments of each `redis-server`. */
  args?: string[];
}

/** One node of a cluster. */
export interface ClusterNode extends Server {
  port: number;
}

/** A Redis Cluster on 127.0.0.1. */
export interface RedisCluster {
  /** Names one node as the seed. */
  url: string;
  /** The masters first, then the replicas of the first master, and so on. */
  nodes: ClusterNode[];
  stop(): Promise<void>;
}

const slots = 16_384;

/** Starts a Redis Cluster that loses no acknowledged write of a node. Resolves when it serves all slots. */
export async function startRedisCluster(options: RedisClusterOptions): Promise<RedisCluster> {
  const { dir, masters = 3, replicas = 0, args = [] } = options;
  const count = masters * (1 + replicas);
  const ports = await freePorts(2 * count);
  const nodes: ClusterNode[] = [];
  const stop = async () => void (await Promise.all(nodes.map((node) => node.stop())));
  try {
    for (let index = 0; index < count; index += 1) {
      const [port = 0, busPort = 0] = ports.slice(2 * index);
      const node = await startRedis({
        dir: join(dir, `node-${index + 1}`),
        port,
        args: [
          ...['--cluster-enabled', 'yes', '--cluster-port', String(busPort)],
          ...['--cluster-config-file', 'nodes.conf', '--cluster-node-timeout', '2000', ...args],
        ],
      });
      nodes.push({ ...node, port });
      const first = nodes[0]?.port;
      if (index > 0) await redisCommand(port, 'CLUSTER', 'MEET', '127.0.0.1', first ?? 0, ports[1] ?? 0);
    }
    for (const [index, { port }] of nodes.slice(0, masters).entries()) {
      const from = Math.ceil((index * slots) / masters);
      const to = Math.ceil(((index + 1) * slots) / masters) - 1;
      await redisCommand(port, 'CLUSTER', 'ADDSLOTSRANGE', from, to);
    }
    for (const [index, { port }] of nodes.slice(masters).entries()) {
      const master = nodes[Math.floor(index / replicas)]?.port ?? 0;
      const id = (await redisCommand(master, 'CLUSTER', 'MYID')).split('\r\n')[1] ?? '';
      await waitFor(async () => (await redisCommand(port, 'CLUSTER', 'REPLICATE', id)) !== '', {
        what: 'the nodes to know each other',
      });
    }
    for (const { port } of nodes)
      await waitFor(
        async () => {
          const info = await redisCommand(port, 'CLUSTER', 'INFO');
          return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${count}`);
        },
        { deadlineMs: 30_000, what: 'the cluster' },
      );
    return { url: `redis-cluster://127.0.0.1:${nodes[0]?.port}`, nodes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
