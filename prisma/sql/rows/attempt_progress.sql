-- The one row.
INSERT INTO attempt_progress DEFAULT VALUES;
