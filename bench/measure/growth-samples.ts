import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Bench } from '../stack/bench.ts';
import { memoryMb } from './process-usage.ts';

/** What must not grow while the load is the same, at one time. Names are those of the report. */
export type GrowthSample = Record<string, number>;

/** The samples of a run, in the order of time. */
export interface GrowthSamples {
  everySeconds: number;
  samples: GrowthSample[];
}

/** Takes a sample of every process, Redis and PostgreSQL at a fixed interval, until `done` resolves. */
export async function sampleGrowth(
  bench: Bench,
  everySeconds: number,
  done: Promise<unknown>,
): Promise<GrowthSamples> {
  const samples: GrowthSample[] = [];
  const ended = new AbortController();
  const stop = () => ended.abort();
  done.then(stop, stop);
  while (!ended.signal.aborted) {
    samples.push(await takeSample(bench));
    await setTimeout(everySeconds * 1_000, undefined, { signal: ended.signal }).catch(() => undefined);
  }
  return { everySeconds, samples };
}

async function takeSample({ stack, sql, redis }: Bench): Promise<GrowthSample> {
  const sample: GrowthSample = {};
  const accepted = acceptedSockets();
  for (const { name, pid } of stack.processes()) {
    const files = openFiles(pid);
    const own = files.filter((file) => !accepted.has(file));
    sample[`${name}, resident, MB`] = memoryMb(pid);
    sample[`${name}, open files and sockets`] = own.length;
    if (name === 'api') sample['client connections to the API'] = files.length - own.length;
  }
  const info = await redis.info();
  const read = (field: string) => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1]);
  sample['Redis, used memory, MB'] = read('used_memory') / 1e6;
  sample['Redis, keys'] = await redis.dbsize();
  sample['Redis, connections'] = read('connected_clients');
  const { rows } = await sql.query<{ connections: number; dead: number; live: number; bytes: string }>(
    `SELECT (SELECT count(*)::int FROM pg_stat_activity
         WHERE datname = current_database() AND backend_type = 'client backend') AS connections,
       sum(n_dead_tup)::int AS dead, sum(n_live_tup)::int AS live, pg_database_size(current_database()) AS bytes
     FROM pg_stat_user_tables`,
  );
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL returned no statistics');
  sample['PostgreSQL, connections'] = row.connections;
  sample['PostgreSQL, dead rows, % of the live ones'] = (row.dead / Math.max(row.live, 1)) * 100;
  sample['PostgreSQL, live rows'] = row.live;
  sample['PostgreSQL, size, MB'] = Number(row.bytes) / 1e6;
  return sample;
}

/** What a process has open: a path, or such as `socket:[123]`. Empty when it is gone. */
function openFiles(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => targetOf(`/proc/${pid}/fd/${descriptor}`));
  } catch {
    return [];
  }
}

/** The target of a descriptor; none when it was closed meanwhile. */
function targetOf(descriptor: string): string[] {
  try {
    return [readlinkSync(descriptor)];
  } catch {
    return [];
  }
}

const listens = '0A';

/** The server's sides of all connections to servers of this machine: their number depends on the clients. */
function acceptedSockets(): Set<string> {
  const sockets = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((path) =>
    readFileSync(path, 'utf8').trim().split('\n').slice(1).map(readSocket),
  );
  const ports = new Set(sockets.filter(({ state }) => state === listens).map(({ port }) => port));
  const accepted = sockets.filter(({ state, port }) => state !== listens && ports.has(port));
  return new Set(accepted.map(({ file }) => file));
}

/** A line of `/proc/net/tcp`: its number, the local address, the remote one, the state, … and as the tenth the inode. */
function readSocket(line: string): { port: string; state: string; file: string } {
  const [, local = '', , state = '', , , , , , inode = ''] = line.trim().split(/\s+/);
  return { port: local.slice(local.lastIndexOf(':') + 1), state, file: `socket:[${inode}]` };
}
