-- The figures read it in its index alone, which reads the table for rows on pages that no vacuum has marked as visible to all: see
-- decisions.sql.
ALTER TABLE referred_orders SET (
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_insert_scale_factor = 0.02
);
