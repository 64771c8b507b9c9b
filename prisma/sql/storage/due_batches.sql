-- Every row is deleted after a moment: the table is vacuumed by the number of dead rows, not by a share of the few
-- live ones.
ALTER TABLE due_batches SET (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 1000
);
