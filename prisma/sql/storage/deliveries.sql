-- A claim changes only leased_until, which is in no index: a page keeps room for the new version of the row, so that
-- no index is written (docs/decisions/017). Few dead rows before a vacuum: see also decisions.sql.
ALTER TABLE deliveries SET (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.02
);
