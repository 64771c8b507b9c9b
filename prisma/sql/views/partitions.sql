-- The time partitions of large tables: their names, and the range of time of each. Ranges start and end at midnight
-- in UTC. Rows outside of all ranges are in the default partition. In the database, because rules.drop_partition
-- decides by it what may be dropped.
CREATE OR REPLACE VIEW rules.partitions AS
SELECT parent, name, bounds[1]::timestamptz AS since, bounds[2]::timestamptz AS until
FROM (
  SELECT p.relname AS parent, c.relname AS name,
    regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \(''([^'']+)''\) TO \(''([^'']+)''\)') AS bounds
  FROM pg_inherits i
  JOIN pg_class c ON c.oid = i.inhrelid
  JOIN pg_class p ON p.oid = i.inhparent
  WHERE p.relnamespace = 'public'::regnamespace AND p.relkind = 'p' AND c.relkind = 'r'
) children
WHERE bounds IS NOT NULL;
