import type { Queryable } from '../client/client.ts';

/** A partition, or a table without partitions, with the bytes of its rows and indexes. */
interface StoredPart {
  name: string;
  /** Start and end of a time partition, ISO 8601 in UTC; null otherwise. */
  since: string | null;
  until: string | null;
  bytes: number;
}

/** What a table holds, and when the pruner last completed it. */
export interface TableRetention {
  table: string;
  bytes: number;
  /** Rows that were created before are deleted, if nothing needs them; null before the first run. */
  prunedUntil: string | null;
  finishedAt: string | null;
  partitions: StoredPart[];
}

const sql = `
  WITH parts AS (
    SELECT coalesce(parent.relname, c.relname)::text AS table_name, c.relname::text AS name,
      rules.iso_utc(p.since) AS since, rules.iso_utc(p.until) AS until,
      pg_total_relation_size(c.oid)::float8 AS bytes, parent.oid IS NOT NULL AS is_partition
    FROM pg_class c
    LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
    LEFT JOIN pg_class parent ON parent.oid = i.inhparent
    LEFT JOIN rules.partitions p ON p.name = c.relname
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> '_prisma_migrations'
  )
  SELECT parts.table_name AS table, sum(bytes)::float8 AS bytes, rules.iso_utc(min(done.pruned_until)) AS "prunedUntil",
    rules.iso_utc(min(done.finished_at)) AS "finishedAt",
    coalesce(json_agg(json_build_object('name', name, 'since', since, 'until', until, 'bytes', bytes)
      ORDER BY since NULLS LAST) FILTER (WHERE is_partition), '[]') AS partitions
  FROM parts LEFT JOIN prunings done ON done.table_name = parts.table_name
  GROUP BY parts.table_name
  ORDER BY sum(bytes) DESC, parts.table_name`;

/** Reads the sizes of all tables, the largest first, and what the pruner has done. */
export async function readRetention(database: Queryable): Promise<{ tables: TableRetention[] }> {
  return { tables: await database.query<TableRetention & Record<string, unknown>>(sql) };
}
