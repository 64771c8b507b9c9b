import type { Figure } from '../../report/figure.ts';
import type { Site } from './site.ts';

const section = 'Growth: bytes per row';

/** The size of the large tables and of each of their indexes, by row. */
export async function measureSizes({ sql }: Site): Promise<Figure[]> {
  const { rows } = await sql.query<{ name: string; bytes: number; table: string; count: number }>(
    `WITH leaves AS (
       SELECT coalesce(i.inhparent, c.oid) AS parent, c.oid, c.reltuples
       FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
       WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
     ), counted AS (
       SELECT parent, sum(greatest(reltuples, 0)) AS count, sum(pg_table_size(oid)) AS bytes FROM leaves GROUP BY parent
     ), indexes AS (
       SELECT l.parent, coalesce(p.inhparent, x.indexrelid)::regclass::text AS name, sum(pg_relation_size(x.indexrelid)) AS bytes
       FROM leaves l JOIN pg_index x ON x.indrelid = l.oid
       LEFT JOIN pg_inherits p ON p.inhrelid = x.indexrelid
       GROUP BY 1, 2
     )
     SELECT parent::regclass::text AS table, parent::regclass::text AS name, bytes::float8, count::float8, 0 AS depth FROM counted
     WHERE count > 50000
     UNION ALL
     SELECT i.parent::regclass::text, i.name, i.bytes::float8, c.count::float8, 1
     FROM indexes i JOIN counted c ON c.parent = i.parent WHERE c.count > 50000
     ORDER BY "table", depth, bytes DESC`,
  );
  return rows.map(({ table, name, bytes, count }) => ({
    section,
    name: table === name ? `${table}, ${(count / 1_000_000).toFixed(1)} million rows` : `  ${name}`,
    value: bytes / count,
    unit: 'bytes',
  }));
}
