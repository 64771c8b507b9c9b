-- The id of the key that a secret was sealed with; null for what is not sealed. In the database, because the indexes on
-- it answer at the start of every process which keys the stored secrets need.
CREATE OR REPLACE FUNCTION rules.sealed_by(sealed text)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN sealed LIKE 'v1.%' THEN split_part(sealed, '.', 2) END
$$;
