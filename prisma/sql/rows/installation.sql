-- The one row: a random id. It is made here, so that a process cannot give two databases the same one.
INSERT INTO installation (id) VALUES (gen_random_uuid());
