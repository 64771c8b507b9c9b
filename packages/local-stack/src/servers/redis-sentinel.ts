import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../processes/free-ports.ts';
import { openLogFile } from '../processes/log-file.ts';
import { startProcess } from '../processes/start-process.ts';
import { waitFor } from '../wait-for.ts';
import { redisCommand } from './redis-command.ts';
import { startRedis } from './redis.ts';
import { readyOrStopped } from './server.ts';
import type { Server } from './server.ts';

/** A master with replicas, and three Sentinels that promote one of them when the master fails. On 127.0.0.1. */
export interface RedisSentinel {
  /** Names the Sentinels and the master. */
  url: string;
  /** The first master. */
  master: Server;
  replicas: Server[];
  sentinels: Server[];
  /** The port of the current master, as the Sentinels know it. */
  masterPort(): Promise<number>;
  stop(): Promise<void>;
}

const name = 'mymaster';

/**
 * Starts the servers. `replicas`: default 2, so that the promoted one has a replica. `downAfterMs`: how long the master
 * may be silent before it is replaced; default 2,000.
 */
export async function startRedisSentinel({
  dir,
  replicas: count = 2,
  downAfterMs = 2_000,
}: {
  dir: string;
  replicas?: number;
  downAfterMs?: number;
}): Promise<RedisSentinel> {
  const [masterPort = 0, ...ports] = await freePorts(4 + count);
  const replicaPorts = ports.slice(0, count);
  const sentinelPorts = ports.slice(count);
  const started: Server[] = [];
  const keep = (server: Server) => {
    started.push(server);
    return server;
  };
  const stop = async () => void (await Promise.all(started.map((server) => server.stop())));
  try {
    const master = keep(await startRedis({ dir: join(dir, 'master'), port: masterPort }));
    const args = ['--replicaof', `127.0.0.1 ${masterPort}`, '--repl-diskless-sync-delay', '0'];
    const replicas: Server[] = [];
    for (const port of replicaPorts)
      replicas.push(keep(await startRedis({ dir: join(dir, `replica-${port}`), port, args })));
    const sentinels: Server[] = [];
    for (const port of sentinelPorts)
      sentinels.push(keep(await startSentinel({ dir, port, masterPort, downAfterMs })));
    const askForMaster = async () => {
      for (const port of sentinelPorts) {
        const answer = await redisCommand(port, 'SENTINEL', 'get-master-addr-by-name', name).catch(() => '');
        const found = Number(answer.split('\r\n')[4]);
        if (found > 0) return found;
      }
      throw new Error('no Sentinel answers');
    };
    const knowsAll = async (port: number) => {
      const answer = await redisCommand(port, 'SENTINEL', 'CKQUORUM', name);
      const info = await redisCommand(port, 'INFO', 'sentinel');
      return answer.startsWith(`+OK ${sentinelPorts.length} usable`) && info.includes(`slaves=${count},`);
    };
    for (const port of sentinelPorts)
      await waitFor(() => knowsAll(port), { deadlineMs: 30_000, what: 'the Sentinels to know each other' });
    const hosts = sentinelPorts.map((port) => `127.0.0.1:${port}`).join(',');
    return {
      url: `redis-sentinel://${hosts}/${name}`,
      ...{ master, replicas, sentinels, stop },
      masterPort: askForMaster,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startSentinel(options: {
  dir: string;
  port: number;
  masterPort: number;
  downAfterMs: number;
}): Promise<Server> {
  const { port, masterPort, downAfterMs } = options;
  const dir = join(options.dir, `sentinel-${port}`);
  mkdirSync(dir, { recursive: true });
  // Sentinel writes what it learns into its configuration file.
  const file = join(dir, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${dir}`,
    `sentinel monitor ${name} 127.0.0.1 ${masterPort} 2`,
    `sentinel down-after-milliseconds ${name} ${downAfterMs}`,
    `sentinel failover-timeout ${name} 10000`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const log = openLogFile(join(dir, 'sentinel.log'));
  const sentinel = await startProcess({ command: 'redis-server', args: [file, '--sentinel'], log });
  const answers = async () => (await redisCommand(port, 'PING')).startsWith('+PONG');
  return readyOrStopped('Sentinel', sentinel, log, answers, `redis://127.0.0.1:${port}`);
}
