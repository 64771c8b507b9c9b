import type { Pool, PoolClient } from 'pg';
import type { Database, Sealer } from '@rewardhook/database';
import { addWebhook, createMerchant } from '../stack/create-merchant.ts';
import { days, fillStatements, heavyMemberOrders, merchantCount } from './fill-statements.ts';

/** Orders per statement. */
const chunk = 500_000;

/**
 * Fills a migrated, empty database, over a pool of connections, as if `total` orders had passed through the system in the last 30
 * days. The rows of a table are inserted before its keys and indexes are created, in one transaction that empties the table
 * first: where `wal_level` is minimal, PostgreSQL then writes no log. Leaves the tables vacuumed and analyzed.
 */
export async function fillDatabase(
  { sql, database, sealer }: { sql: Pool; database: Database; sealer: Sealer },
  total: number,
  log: (line: string) => void,
): Promise<void> {
  const merchants: string[] = [];
  for (let number = 0; number < merchantCount; number += 1) {
    const { merchantId } = await createMerchant(database, sealer, `Shop ${number}`);
    for (const path of ['one', 'two']) await addWebhook(database, merchantId, `https://shop.example/${path}`);
    merchants.push(merchantId);
  }
  const { rows: endpoints } = await sql.query<{ id: string }>(
    'SELECT id FROM endpoints ORDER BY array_position($1, merchant_id), id',
    [merchants],
  );
  await sql.query(
    `SELECT rules.add_partition(parent, day::date, day::date + 3)
     FROM (VALUES ('attempts'), ('events')) AS tables (parent),
       generate_series((now() AT TIME ZONE 'UTC')::date - ${days + 4}, (now() AT TIME ZONE 'UTC')::date - 4, interval '3 days') AS day`,
  );
  const until = new Date(Date.now() - 120_000);
  const heavyOrders = Math.floor(total / 100 / heavyMemberOrders) * heavyMemberOrders;
  const values = [total, until, merchants, endpoints.map(({ id }) => id), heavyOrders];
  const waiting = [...fillStatements];
  const fill = async () => {
    const client = await sql.connect();
    try {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        await client.query('BEGIN');
        const rebuild = await dropKeysAndIndexes(client, next.table);
        await client.query(`TRUNCATE ${next.table}`);
        for (let from = 0; from < total; from += chunk)
          await client.query(next.sql, [from, Math.min(total, from + chunk), ...values]);
        log(`${next.table}: the rows are inserted`);
        for (const statement of rebuild) await client.query(statement);
        await client.query('COMMIT');
        await client.query(`VACUUM (FREEZE, ANALYZE) ${next.table}`);
        log(`${next.table}: filled`);
      }
    } finally {
      client.release();
    }
  };
  await Promise.all([fill(), fill()]);
  await sql.query(`SELECT setval('events_sequence_seq', $1)`, [total * 2]);
  await sql.query('UPDATE version_ceiling SET version = $1', [total]);
}

/** Drops the primary key and the other indexes of a table. Returns the statements that create them again. */
async function dropKeysAndIndexes(client: PoolClient, table: string): Promise<string[]> {
  const { rows } = await client.query<{ drop: string; create: string }>(
    `SELECT
       CASE WHEN c.oid IS NULL THEN format('DROP INDEX %s', i.indexrelid::regclass)
         ELSE format('ALTER TABLE %s DROP CONSTRAINT %I', i.indrelid::regclass, c.conname) END AS drop,
       CASE WHEN c.oid IS NULL THEN replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ')
         ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', i.indrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
       END AS create
     FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.conrelid = i.indrelid AND c.contype = 'p'
     WHERE i.indrelid = $1::regclass`,
    [table],
  );
  for (const { drop } of rows) await client.query(drop);
  return rows.map(({ create }) => create);
}
