-- Storing orders planned both of its statements each time: half of the time of a request with one order. Each connection now
-- keeps their plans (docs/decisions/052). The statement that enqueues orders is a function of its own, with settings of
-- its own: its plan is made for any parameters and any size of the tables, so a row is found by a form that only the
-- index on its columns can answer (rows-by-key.ts), and orders are joined by hashing.

-- Enqueues the orders, stored by the same transaction, whose members have a referral, and those whose former member has
-- decisions. `known` is false for an order that was stored for the first time.
CREATE FUNCTION "rules"."enqueue_stored_orders"(merchants text[], orders text[], members text[], known boolean[],
  versions bigint[], batches jsonb) RETURNS TABLE (merchant_id text, id uuid, order_ids text[])
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_sort = off SET enable_nestloop = off
AS E'
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH changed AS MATERIALIZED (
    SELECT * FROM unnest(merchants, orders, members, known, versions)
      AS c (merchant_id, order_id, member_id, known, version)
  ), due AS (
    SELECT c.merchant_id, c.order_id, c.member_id, c.version
    FROM (SELECT DISTINCT merchant_id, member_id FROM changed) m
    CROSS JOIN LATERAL (
      SELECT 1 FROM referrals r
      WHERE r.merchant_id = m.merchant_id AND r.referee_member_id >= m.member_id AND r.referee_member_id <= m.member_id
      ORDER BY r.referee_member_id OFFSET 0) linked
    JOIN changed c ON c.merchant_id = m.merchant_id AND c.member_id = m.member_id
    UNION
    SELECT c.merchant_id, c.order_id, c.member_id, c.version
    FROM changed c
    CROSS JOIN LATERAL (
      SELECT d.member_id FROM decisions d
      WHERE d.merchant_id = c.merchant_id AND d.order_id >= c.order_id AND d.order_id <= c.order_id
      ORDER BY d.order_id OFFSET 0) decided
    WHERE c.known AND decided.member_id <> c.member_id
  ), numbered AS (
    SELECT *, row_number() OVER (PARTITION BY merchant_id ORDER BY order_id) AS number FROM due
  ), grouped AS (
    SELECT n.merchant_id, array_agg(n.order_id) AS order_ids, array_agg(n.member_id) AS member_ids,
      array_agg(n.version) AS order_versions
    FROM numbered n GROUP BY n.merchant_id, (n.number - 1) / 1000
  ), requests AS MATERIALIZED (
    SELECT batch.version, jsonb_strip_nulls(jsonb_build_object(
      \'version\', batch.version, \'id\', batch."requestId", \'traceparent\', batch.traceparent)) AS request
    FROM jsonb_to_recordset(batches) AS batch (version bigint, "requestId" text, traceparent text)
    WHERE batch."requestId" IS NOT NULL
  )
  INSERT INTO due_batches AS b (merchant_id, order_ids, member_ids, order_versions, requests)
  SELECT g.merchant_id, g.order_ids, g.member_ids, g.order_versions, (
    SELECT jsonb_agg(r.request) FROM (SELECT DISTINCT version FROM unnest(g.order_versions) version) v
    JOIN requests r ON r.version = v.version)
  FROM grouped g
  RETURNING b.merchant_id, b.id, b.order_ids\x3b
END';

-- As before, without the statement that enqueues. The one that stores reads no table, so any parameters have the same plan.
CREATE OR REPLACE FUNCTION "rules"."store_orders"(batches jsonb) RETURNS TABLE (merchant_id text, id uuid, order_ids text[])
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS E'
#variable_conflict use_column
DECLARE
  merchants text[]\x3b
  orders text[]\x3b
  members text[]\x3b
  known boolean[]\x3b
  versions bigint[]\x3b
BEGIN
  WITH changed AS (
    INSERT INTO orders AS stored (merchant_id, order_id, version, member_id, order_amount, paid_amount, shipping_amount,
      order_date, first_order, paid_at, cancelled_at, returned_at, items, versions)
    SELECT DISTINCT ON (batch."merchantId", sent.order_id)
      batch."merchantId", sent.order_id, batch.version, sent.member_id, sent.order_amount, sent.paid_amount,
      sent.shipping_amount, sent.order_date, coalesce(sent.first_order, false), sent.paid_at, sent.cancelled_at,
      sent.returned_at, coalesce(sent.items, \'[]\'), ARRAY[batch.version]
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
    RETURNING merchant_id, order_id, member_id, cardinality(stored.versions) > 1 AS known, stored.version
  )
  SELECT array_agg(c.merchant_id), array_agg(c.order_id), array_agg(c.member_id), array_agg(c.known),
    array_agg(c.version)
  INTO merchants, orders, members, known, versions FROM changed c\x3b

  -- Another statement, with its own snapshot.
  RETURN QUERY SELECT * FROM rules.enqueue_stored_orders(merchants, orders, members, known, versions, batches)\x3b
END';
