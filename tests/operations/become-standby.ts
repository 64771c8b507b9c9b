import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'pg';
import { waitFor } from '@rewardhook/testing';
import type { Stack } from '@rewardhook/testing/servers';

/**
 * Restarts the PostgreSQL of a stack as a standby, which is what processes meet after a failover until their URL is changed: it
 * answers, and accepts no writes, whatever the settings of a session are. Returns what promotes it.
 */
export async function becomeStandby(stack: Stack): Promise<() => Promise<void>> {
  const pool = new Pool({ connectionString: stack.databaseUrl, max: 1 });
  pool.on('error', () => undefined);
  const { rows } = await pool.query<{ data_directory: string }>('SHOW data_directory');
  writeFileSync(join(rows[0]?.data_directory as string, 'standby.signal'), '');
  stack.kill('postgres', 'SIGINT');
  const isStandby = async () =>
    (await pool.query('SELECT pg_is_in_recovery() AS standby')).rows[0].standby === true;
  await waitFor(isStandby, { deadlineMs: 30_000, what: 'a standby' });
  return async () => {
    await pool.query('SELECT pg_promote()');
    await pool.end();
  };
}
