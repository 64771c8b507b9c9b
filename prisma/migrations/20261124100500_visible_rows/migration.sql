-- Counting rows in an index reads the table for rows on pages that no vacuum has marked as visible to all. By default that
-- is a fifth of the table, the newest one, which the home page of the console counts. A vacuum reads only these pages.
ALTER TABLE "orders" SET (autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE "decisions" SET (autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE "rewards" SET (autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE "deliveries" SET (autovacuum_vacuum_insert_scale_factor = 0.02);
