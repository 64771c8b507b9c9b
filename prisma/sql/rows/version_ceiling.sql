-- The one row: nothing is stored yet.
INSERT INTO version_ceiling (version) VALUES (0);
