-- The one row.
INSERT INTO write_probes (id) VALUES (1);
