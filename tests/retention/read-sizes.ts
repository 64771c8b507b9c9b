import type { Client } from 'pg';

/** The bytes of each table with its partitions, indexes and large values. */
export async function readSizes(sql: Client): Promise<Record<string, number>> {
  const { rows } = await sql.query<{ table: string; bytes: number }>(
    `SELECT coalesce(parent.relname, c.relname)::text AS table, sum(pg_total_relation_size(c.oid))::float8 AS bytes
     FROM pg_class c
     LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
     LEFT JOIN pg_class parent ON parent.oid = i.inhparent
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
     GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ table, bytes }) => [table, bytes]));
}
