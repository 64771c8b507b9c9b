-- The one row.
INSERT INTO click_progress DEFAULT VALUES;
