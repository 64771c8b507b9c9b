import { readFileSync } from 'node:fs';
import { runMigrations } from 'graphile-worker';
import type { Bench } from '../stack/bench.ts';

/** Creates the schemas of the peers in the database of the bench: `peers` and `graphile_worker`. */
export async function preparePeers({ sql, stack }: Bench): Promise<void> {
  await sql.query('DROP SCHEMA IF EXISTS peers CASCADE; DROP SCHEMA IF EXISTS graphile_worker CASCADE');
  await sql.query(readFileSync(new URL('./tables.sql', import.meta.url), 'utf8'));
  await runMigrations({ connectionString: stack.databaseUrl });
}
