-- Every row is deleted after a moment: the table is vacuumed by the number of dead rows, not by a share of the few
-- live ones.
ALTER TABLE due_batches SET (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 1000
);

-- Prisma has no generated columns.
ALTER TABLE due_batches
  DROP COLUMN orders,
  ADD COLUMN orders integer NOT NULL GENERATED ALWAYS AS (cardinality(order_ids)) STORED;
