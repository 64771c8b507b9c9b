-- Stores batches of orders, `[{merchantId, version, orders, requestId?, traceparent?}]`, enqueues those that are due
-- for evaluation, and returns the due batches. In the database, because both are one transaction and one round trip.
-- The latest state wins regardless of the order in which batches are stored, and storing a batch twice changes
-- nothing: the one with the greatest (sent_at, version). The time of a state is the merchant's updated_at, or that of its
-- acceptance (the version) if it is earlier. A state with a higher version than the stored one was sent later and has an
-- older updated_at: it is dropped, and its version is kept with the order. The dropped orders of a merchant are
-- returned in a row without an id. An order whose paid_at is more than 5 minutes ahead of the clock counts as paid from 5 minutes
-- before it; a time that has passed when the order is stored is found by the sweeper. Rows are sorted by key, so that concurrent
-- calls lock them in one order. The statement that stores reads no table, so any parameters have the same plan, which each
-- connection keeps. An order with an alias of a merged member is stored under the member, by a statement of its own: it sees
-- a merge that was committed while the first one waited for a row of the merged member.
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
      order_date, first_order, paid_at, counts_as_paid_at, cancelled_at, returned_at, currency, labels, items, sent_at,
      versions, updated_at)
    SELECT DISTINCT ON (batch."merchantId", sent.order_id)
      batch."merchantId", sent.order_id, batch.version, sent.member_id, sent.order_amount, sent.paid_amount,
      sent.shipping_amount, sent.order_date, coalesce(sent.first_order, false), sent.paid_at,
      CASE WHEN sent.paid_at > clock_timestamp() + interval '5 minutes' THEN sent.paid_at - interval '5 minutes' END,
      sent.cancelled_at, sent.returned_at, sent.currency, sent.labels, coalesce(sent.items, '[]'), state.sent_at, ARRAY[batch.version],
      clock_timestamp()
    FROM jsonb_to_recordset(batches) AS batch ("merchantId" text, version bigint, orders jsonb),
      jsonb_to_recordset(batch.orders) AS sent (order_id text, member_id text, order_amount bigint, paid_amount bigint,
        shipping_amount bigint, order_date timestamptz, first_order boolean, paid_at timestamptz,
        cancelled_at timestamptz, returned_at timestamptz, currency text, labels text[], updated_at timestamptz, items jsonb)
      CROSS JOIN LATERAL (
        SELECT least(batch.version, (extract(epoch FROM sent.updated_at) * 1000000)::bigint)) AS state (sent_at)
    ORDER BY batch."merchantId", sent.order_id, state.sent_at DESC, batch.version DESC
    ON CONFLICT (merchant_id, order_id) DO UPDATE SET
      version = excluded.version, member_id = excluded.member_id, sent_member_id = NULL, order_amount = excluded.order_amount,
      paid_amount = excluded.paid_amount, shipping_amount = excluded.shipping_amount, order_date = excluded.order_date,
      first_order = excluded.first_order, paid_at = excluded.paid_at, counts_as_paid_at = excluded.counts_as_paid_at,
      cancelled_at = excluded.cancelled_at,
      returned_at = excluded.returned_at, currency = excluded.currency, labels = excluded.labels, items = excluded.items,
      sent_at = excluded.sent_at,
      outdated = CASE WHEN stored.version > excluded.version
        THEN (stored.outdated || stored.version)[greatest(1, cardinality(stored.outdated) - 18):]
        ELSE stored.outdated END,
      versions = (stored.versions || excluded.version)[greatest(1, cardinality(stored.versions) - 48):],
      updated_at = greatest(stored.updated_at, excluded.updated_at)
    WHERE (stored.sent_at, stored.version) < (excluded.sent_at, excluded.version)
    RETURNING merchant_id, order_id, member_id, cardinality(stored.versions) > 1 AS known, stored.version
  )
  SELECT array_agg(c.merchant_id), array_agg(c.order_id), array_agg(c.member_id), array_agg(c.known),
    array_agg(c.version)
  INTO merchants, orders, members, known, versions FROM changed c;

  IF EXISTS (SELECT 1 FROM member_aliases WHERE merchant_id = ANY(merchants)) THEN
    members := rules.resolve_aliases(merchants, orders, members);
  END IF;

  -- Only a state with an updated_at can be dropped. The rows are locked by the statement above, also where it stored nothing.
  IF batches @? '$[*].orders[*].updated_at ? (@ != null)' THEN
    RETURN QUERY
    WITH late AS (
      SELECT batch."merchantId" AS merchant_id, sent.order_id,
        array_agg(DISTINCT batch.version ORDER BY batch.version) AS versions
      FROM jsonb_to_recordset(batches) AS batch ("merchantId" text, version bigint, orders jsonb),
        jsonb_to_recordset(batch.orders) AS sent (order_id text, updated_at timestamptz)
      WHERE sent.updated_at IS NOT NULL
      GROUP BY 1, 2
    ), outdated AS (
      UPDATE orders o SET
        outdated = (o.outdated || found.versions)[greatest(1, cardinality(o.outdated || found.versions) - 19):]
      FROM (
        SELECT stored.row, array_agg(late_version ORDER BY late_version) AS versions
        FROM late CROSS JOIN LATERAL (
          SELECT ctid AS row, version, outdated FROM orders
          WHERE merchant_id = late.merchant_id AND order_id >= late.order_id AND order_id <= late.order_id
          ORDER BY order_id OFFSET 0) stored
        CROSS JOIN LATERAL unnest(late.versions) AS late_version
        WHERE late_version > stored.version AND late_version <> ALL (stored.outdated)
        GROUP BY stored.row
      ) found
      WHERE o.ctid = found.row
      RETURNING o.merchant_id, o.order_id
    )
    SELECT d.merchant_id, NULL::uuid, array_agg(d.order_id) FROM outdated d GROUP BY d.merchant_id;
  END IF;

  -- Another statement, with its own snapshot.
  RETURN QUERY SELECT * FROM rules.enqueue_stored_orders(merchants, orders, members, known, versions, batches);
END
$$;
