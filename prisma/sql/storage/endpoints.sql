-- Few rows that change often: a page keeps room for new versions, and is vacuumed by the number of dead rows.
ALTER TABLE endpoints SET (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 1000
);
