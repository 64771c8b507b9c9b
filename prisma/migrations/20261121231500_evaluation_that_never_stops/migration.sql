-- AlterTable
ALTER TABLE "due_batches" ADD COLUMN     "failures" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "last_error" TEXT,
ADD COLUMN     "parked_at" TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "referrals" ADD COLUMN     "enqueue_after_xid" xid8;

-- CreateIndex
CREATE INDEX "due_batches_failing_idx" ON "due_batches"("due_since") WHERE (failures > 0);

-- Stores batches of orders, as jsonb `[{merchantId, version, orders}]`, and marks those that have to be evaluated: the
-- orders of linked members, and those that were decided for another member before. One transaction, one round trip.
--
-- The upsert is guarded: the latest sent wins in whatever order batches are stored, and storing one twice changes
-- nothing. Rows are sorted by key, so that concurrent calls lock them in one order. Of several versions of an order in
-- the batches the highest is stored.
--
-- The marks are a second statement, because it sees what was committed while the first one waited for locks: a link, or
-- the decision of an evaluation that had locked the order. An order that is stored for the first time has no decision.
-- OFFSET 0 keeps the planner from joining any other way than by the keys, whatever it believes about table sizes. Plans
-- are not kept, since tables grow.
-- (\x3b is a semicolon: the offline migration engine cuts the script at each one that it sees.)
CREATE FUNCTION "rules"."store_orders"(batches jsonb) RETURNS TABLE (merchant_id text, id uuid, order_ids text[])
LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS E'
#variable_conflict use_column
DECLARE
  merchants text[]\x3b
  orders text[]\x3b
  members text[]\x3b
  known boolean[]\x3b
BEGIN
  WITH changed AS (
    INSERT INTO orders AS stored (merchant_id, order_id, version, member_id, order_amount, paid_amount, shipping_amount,
      order_date, first_order, paid_at, cancelled_at, returned_at, items, versions)
    SELECT DISTINCT ON (batch."merchantId", sent.order_id)
      batch."merchantId", sent.order_id, batch.version, sent.member_id, sent.order_amount, sent.paid_amount,
      sent.shipping_amount, sent.order_date, sent.first_order, sent.paid_at, sent.cancelled_at, sent.returned_at,
      sent.items, ARRAY[batch.version]
    FROM jsonb_to_recordset(batches) AS batch ("merchantId" text, version bigint, orders jsonb),
      jsonb_to_recordset(batch.orders) AS sent (order_id text, member_id text, order_amount bigint, paid_amount bigint,
        shipping_amount bigint, order_date timestamptz, first_order boolean, paid_at timestamptz,
        cancelled_at timestamptz, returned_at timestamptz, items jsonb)
    ORDER BY batch."merchantId", sent.order_id, batch.version DESC
    ON CONFLICT (merchant_id, order_id) DO UPDATE SET
      version = excluded.version, member_id = excluded.member_id, order_amount = excluded.order_amount,
      paid_amount = excluded.paid_amount, shipping_amount = excluded.shipping_amount, order_date = excluded.order_date,
      first_order = excluded.first_order, paid_at = excluded.paid_at, cancelled_at = excluded.cancelled_at,
      returned_at = excluded.returned_at, items = excluded.items,
      versions = (stored.versions || excluded.version)[greatest(1, cardinality(stored.versions) - 48):],
      updated_at = clock_timestamp()
    WHERE stored.version < excluded.version
    RETURNING merchant_id, order_id, member_id, cardinality(versions) > 1 AS known
  )
  SELECT array_agg(c.merchant_id), array_agg(c.order_id), array_agg(c.member_id), array_agg(c.known)
  INTO merchants, orders, members, known FROM changed c\x3b

  RETURN QUERY
  WITH changed AS MATERIALIZED (
    SELECT * FROM unnest(merchants, orders, members, known) AS c (merchant_id, order_id, member_id, known)
  ), due AS (
    SELECT c.merchant_id, c.order_id, c.member_id
    FROM (SELECT DISTINCT merchant_id, member_id FROM changed) m
    CROSS JOIN LATERAL (
      SELECT 1 FROM referrals r
      WHERE r.merchant_id = m.merchant_id AND r.referee_member_id = m.member_id OFFSET 0) linked
    JOIN changed c ON c.merchant_id = m.merchant_id AND c.member_id = m.member_id
    UNION
    SELECT c.merchant_id, c.order_id, c.member_id
    FROM changed c
    CROSS JOIN LATERAL (
      SELECT d.member_id FROM decisions d
      WHERE d.merchant_id = c.merchant_id AND d.order_id = c.order_id OFFSET 0) decided
    WHERE c.known AND decided.member_id <> c.member_id
  ), placed AS (
    SELECT *, row_number() OVER (PARTITION BY merchant_id ORDER BY order_id) AS place FROM due
  )
  INSERT INTO due_batches AS b (merchant_id, order_ids, member_ids)
  SELECT p.merchant_id, array_agg(p.order_id), array_agg(p.member_id)
  FROM placed p GROUP BY p.merchant_id, (p.place - 1) / 1000
  RETURNING b.merchant_id, b.id, b.order_ids\x3b
END';

-- The name of a merchant's time zone, or UTC where PostgreSQL does not know it. What is set is validated, so this is for
-- rows from before that, and for a PostgreSQL that has lost a name.
CREATE FUNCTION "rules"."known_zone"(name text) RETURNS text LANGUAGE plpgsql STABLE AS E'BEGIN
  PERFORM now() AT TIME ZONE name\x3b
  RETURN name\x3b
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN \'UTC\'\x3b
END';
