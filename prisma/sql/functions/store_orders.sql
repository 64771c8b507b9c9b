-- Stores batches of orders, `[{merchantId, version, orders, requestId?, traceparent?}]`, enqueues those that are due
-- for evaluation, and returns the due batches. In the database, because both are one transaction and one round trip.
-- The highest version wins regardless of the order in which batches are stored, and storing a batch twice changes
-- nothing. Of several versions of an order in the batches the highest is stored. A paid_at more than 5 minutes ahead of
-- the clock counts from then on; a time that has passed when it is stored is found by the sweeper. Rows are sorted by key, so that
-- concurrent calls lock them in one order. The statement that stores reads no table, so any parameters have the same
-- plan, which each connection keeps.
CREATE OR REPLACE FUNCTION rules.store_orders(batches jsonb)
RETURNS TABLE(merchant_id text, id uuid, order_ids text[])
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  merchants text[];
  orders text[];
  members text[];
  known boolean[];
  versions bigint[];
BEGIN
  WITH changed AS (
    INSERT INTO orders AS stored (merchant_id, order_id, version, member_id, order_amount, paid_amount, shipping_amount,
      order_date, first_order, paid_at, counts_as_paid_at, cancelled_at, returned_at, currency, items, versions,
      updated_at)
    SELECT DISTINCT ON (batch."merchantId", sent.order_id)
      batch."merchantId", sent.order_id, batch.version, sent.member_id, sent.order_amount, sent.paid_amount,
      sent.shipping_amount, sent.order_date, coalesce(sent.first_order, false), sent.paid_at,
      CASE WHEN sent.paid_at > clock_timestamp() + interval '5 minutes' THEN sent.paid_at - interval '5 minutes' END,
      sent.cancelled_at, sent.returned_at, sent.currency, coalesce(sent.items, '[]'), ARRAY[batch.version], clock_timestamp()
    FROM jsonb_to_recordset(batches) AS batch ("merchantId" text, version bigint, orders jsonb),
      jsonb_to_recordset(batch.orders) AS sent (order_id text, member_id text, order_amount bigint, paid_amount bigint,
        shipping_amount bigint, order_date timestamptz, first_order boolean, paid_at timestamptz,
        cancelled_at timestamptz, returned_at timestamptz, currency text, items jsonb)
    ORDER BY batch."merchantId", sent.order_id, batch.version DESC
    ON CONFLICT (merchant_id, order_id) DO UPDATE SET
      version = excluded.version, member_id = excluded.member_id, order_amount = excluded.order_amount,
      paid_amount = excluded.paid_amount, shipping_amount = excluded.shipping_amount, order_date = excluded.order_date,
      first_order = excluded.first_order, paid_at = excluded.paid_at, counts_as_paid_at = excluded.counts_as_paid_at,
      cancelled_at = excluded.cancelled_at,
      returned_at = excluded.returned_at, currency = excluded.currency, items = excluded.items,
      versions = (stored.versions || excluded.version)[greatest(1, cardinality(stored.versions) - 48):],
      updated_at = greatest(stored.updated_at, excluded.updated_at)
    WHERE stored.version < excluded.version
    RETURNING merchant_id, order_id, member_id, cardinality(stored.versions) > 1 AS known, stored.version
  )
  SELECT array_agg(c.merchant_id), array_agg(c.order_id), array_agg(c.member_id), array_agg(c.known),
    array_agg(c.version)
  INTO merchants, orders, members, known, versions FROM changed c;

  -- Another statement, with its own snapshot.
  RETURN QUERY SELECT * FROM rules.enqueue_stored_orders(merchants, orders, members, known, versions, batches);
END
$$;
