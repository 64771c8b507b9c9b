import { readdirSync } from 'node:fs';
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
  for (const { name, pid } of stack.processes()) {
    sample[`${name}, resident, MB`] = memoryMb(pid);
    sample[`${name}, open files and sockets`] = openFiles(pid);
  }
  const info = await redis.info();
  const read = (field: string) => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1]);
  sample['Redis, used memory, MB'] = read('used_memory') / 1e6;
  sample['Redis, keys'] = await redis.dbsize();
  sample['Redis, connections'] = read('connected_clients');
  const { rows } = await sql.query<{ connections: number; dead: number; live: number; bytes: string }>(
    `SELECT (SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database()) AS connections,
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

/** Number of open files of a process; 0 when it is gone. */
function openFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}
