-- The share of one event in the fingerprint of its feed. In the database, because positions are assigned there for
-- many events at once.
CREATE OR REPLACE FUNCTION rules.event_fingerprint(event text, feed_position bigint)
RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT ('x' || encode(substring(sha256(convert_to(event || ' ' || feed_position, 'UTF8')) FOR 8), 'hex'))::bit(64)::bigint
$$;
