-- The id of the delivery of an event to an endpoint, for a replay or with '' for the first one. It is the same when
-- the delivery is inserted again after a restore. Its form is that of a random UUID (version 4), as receivers know
-- it. In the database, because deliveries are inserted there for all endpoints of an event at once.
CREATE OR REPLACE FUNCTION rules.delivery_id(merchant text, event text, endpoint text, replay text)
RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT encode(
    set_byte(
      set_byte(digest, 6, get_byte(digest, 6) & 15 | 64),
      8, get_byte(digest, 8) & 63 | 128),
    'hex')::uuid
  FROM substring(sha256(convert_to(concat_ws(' ', merchant, event, endpoint, replay), 'UTF8')) FOR 16) AS digest
$$;
