-- The name of a time zone, or UTC if PostgreSQL does not know it. Zones are validated when they are set, but
-- PostgreSQL may know fewer than Node, and a later version fewer than this one. In the database, because only it
-- knows which zones it has.
CREATE OR REPLACE FUNCTION rules.known_zone(name text)
RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM now() AT TIME ZONE name;
  RETURN name;
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN 'UTC';
END
$$;
