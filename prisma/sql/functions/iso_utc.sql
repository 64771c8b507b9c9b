-- ISO 8601 in UTC with microseconds: the form of every timestamp in the body of an event. In the database, because
-- bodies contain times that only its clock knows, and a date of JavaScript has no microseconds.
CREATE OR REPLACE FUNCTION rules.iso_utc(at timestamptz)
RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;
