import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import type { Redis } from '@rewardhook/pipeline';

/** Signs that processes get in each other's way. */
export interface Contention {
  /** Mean number of connections of PostgreSQL that wait for a lock of a row, a transaction or a table. */
  lockWaits: number;
  deadlocks: number;
  rollbacks: number;
  /** Commands that Redis was sent. */
  redisCommands: number;
}

/** Measures contention from now until it is called again. */
export async function measureContention(
  databaseUrl: string,
  redis: Redis,
): Promise<() => Promise<Contention>> {
  const sql = new Client({ connectionString: databaseUrl });
  await sql.connect();
  const stopping = new AbortController();
  let samples = 0;
  let waits = 0;
  const sample = async () => {
    while (!stopping.signal.aborted) {
      const { rows } = await sql.query<{ waits: number }>(
        `SELECT count(*)::int AS waits FROM pg_stat_activity WHERE wait_event_type = 'Lock'`,
      );
      samples += 1;
      waits += rows[0]?.waits ?? 0;
      await setTimeout(20, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const before = await readCounters(sql, redis);
  const sampling = sample();
  return async () => {
    stopping.abort();
    await sampling;
    const after = await readCounters(sql, redis);
    await sql.end();
    return {
      lockWaits: waits / Math.max(samples, 1),
      deadlocks: after.deadlocks - before.deadlocks,
      rollbacks: after.rollbacks - before.rollbacks,
      redisCommands: after.redisCommands - before.redisCommands,
    };
  };
}

async function readCounters(sql: Client, redis: Redis) {
  const { rows } = await sql.query<{ deadlocks: number; rollbacks: number }>(
    `SELECT deadlocks::int, xact_rollback::int AS rollbacks FROM pg_stat_database
     WHERE datname = current_database()`,
  );
  const redisCommands = Number(/^total_commands_processed:(\d+)/m.exec(await redis.info('stats'))?.[1]);
  return { deadlocks: rows[0]?.deadlocks ?? 0, rollbacks: rows[0]?.rollbacks ?? 0, redisCommands };
}
