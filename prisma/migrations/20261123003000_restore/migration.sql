-- What a restore to an earlier moment must not change or hide: ids, the positions of feed readers, versions of orders.

-- The salt of the merchant's referral ids. The erasure of a member replaces it by its hash.
ALTER TABLE "merchants" ADD COLUMN "id_salt" UUID NOT NULL DEFAULT gen_random_uuid();

-- The fingerprint of the merchant's feed: of the ids and positions of all events that have a position.
ALTER TABLE "merchants" ADD COLUMN "feed_fingerprint" BIGINT NOT NULL DEFAULT 0;

-- The fingerprint of the feed before this event. Null without a position, and where an earlier release assigned it.
ALTER TABLE "events" ADD COLUMN "feed_fingerprint" BIGINT;

-- One row: no stored order has a higher version. Raised in advance, before orders with higher versions are stored.
CREATE TABLE "version_ceiling" (
    "id" BOOLEAN NOT NULL DEFAULT true,
    "version" BIGINT NOT NULL,
    "raised_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "version_ceiling_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "version_ceiling_one_row" CHECK ("id")
);

INSERT INTO "version_ceiling" ("version") SELECT coalesce(max("version"), 0) FROM "orders";

-- The id of the delivery of an event to an endpoint, for a replay or with '' for the first one. It is the same when the
-- delivery is inserted again after a restore. Its form is that of a random UUID (version 4), as receivers know it.
CREATE FUNCTION "rules"."delivery_id"(merchant text, event text, endpoint text, replay text) RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT encode(
    set_byte(
      set_byte(digest, 6, get_byte(digest, 6) & 15 | 64),
      8, get_byte(digest, 8) & 63 | 128),
    'hex')::uuid
  FROM substring(sha256(convert_to(concat_ws(' ', merchant, event, endpoint, replay), 'UTF8')) FOR 16) AS digest
$$;

-- The share of one event in the fingerprint of its feed.
CREATE FUNCTION "rules"."event_fingerprint"(event text, feed_position bigint) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT ('x' || encode(substring(sha256(convert_to(event || ' ' || feed_position, 'UTF8')) FOR 8), 'hex'))::bit(64)::bigint
$$;

-- Stores batches as store_orders does, provided that the ceiling of versions is at least `highest`, their highest version.
-- Otherwise it stores nothing and returns one row of nulls: the caller raises the ceiling first, in a transaction of its
-- own, so that concurrent batches do not wait for each other.
CREATE FUNCTION "rules"."store_orders_below_ceiling"(batches jsonb, highest bigint)
RETURNS TABLE (merchant_id text, id uuid, order_ids text[]) LANGUAGE plpgsql AS E'
#variable_conflict use_column
BEGIN
  IF EXISTS (SELECT 1 FROM version_ceiling WHERE version >= highest) THEN
    RETURN QUERY SELECT * FROM rules.store_orders(batches)\x3b
  ELSE
    RETURN QUERY SELECT null::text, null::uuid, null::text[]\x3b
  END IF\x3b
END';
