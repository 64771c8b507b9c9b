-- A reward changes its state and the endpoints that were notified of it: a page keeps room. Vacuumed before a fifth of the table is
-- dead: see also decisions.sql.
ALTER TABLE rewards SET (
  fillfactor = 85,
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_insert_scale_factor = 0.02
);
