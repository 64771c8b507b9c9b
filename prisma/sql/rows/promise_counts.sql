-- The one row.
INSERT INTO promise_counts DEFAULT VALUES;
