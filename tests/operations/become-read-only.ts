import { waitFor } from '@rewardhook/testing';
import type { Stack } from '@rewardhook/testing/servers';
import { Pool } from 'pg';

/**
 * Stops all writers of a stack's PostgreSQL as managed services do before the disk is full: transactions are read-only by default,
 * in all sessions. Returns what ends it.
 */
export async function becomeReadOnly({ databaseUrl }: Stack): Promise<() => Promise<void>> {
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  const set = async (change: string, value: string) => {
    await pool.query(change);
    await pool.query('SELECT pg_reload_conf()');
    const isSet = async () =>
      (await pool.query('SHOW default_transaction_read_only')).rows[0].default_transaction_read_only ===
      value;
    await waitFor(isSet, { what: `default_transaction_read_only = ${value}` });
  };
  await set('ALTER SYSTEM SET default_transaction_read_only = on', 'on');
  return async () => {
    await set('ALTER SYSTEM RESET default_transaction_read_only', 'off');
    await pool.end();
  };
}
