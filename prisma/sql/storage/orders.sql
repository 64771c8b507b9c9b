-- Orders are sent again when their state changes: a page keeps some room. Vacuumed before a fifth of the table is
-- dead: see also decisions.sql.
ALTER TABLE orders SET (
  fillfactor = 90,
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_insert_scale_factor = 0.02
);
