-- The home page of the console counts new rows in an index, which reads the table for rows on pages that no vacuum
-- has marked as visible to all. By default that is a fifth of the table. A vacuum reads only these pages.
ALTER TABLE decisions SET (
  autovacuum_vacuum_insert_scale_factor = 0.02
);
