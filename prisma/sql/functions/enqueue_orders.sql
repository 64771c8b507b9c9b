-- Enqueues orders for evaluation, in the order of the arrays: at most 100 orders of a merchant in a batch, as an evaluation takes
-- them. `requests` are those that the orders came with, `[{version?, id, traceparent?}]`: a batch gets those that name no
-- version, or one of its orders. In the database, because what finds the orders inserts the batches in the same statement. In
-- plpgsql, which keeps its plan.
CREATE OR REPLACE FUNCTION rules.enqueue_orders(merchants text[], orders text[], members text[], versions bigint[],
  requests jsonb)
RETURNS TABLE(merchant_id text, id uuid, order_ids text[])
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH numbered AS (
    SELECT *, row_number() OVER (PARTITION BY merchant_id ORDER BY position) AS number
    FROM unnest(merchants, orders, members, versions) WITH ORDINALITY AS o (merchant_id, order_id, member_id, version, position)
  ), grouped AS (
    SELECT merchant_id, array_agg(order_id ORDER BY number) AS order_ids, array_agg(member_id ORDER BY number) AS member_ids,
      array_agg(version ORDER BY number) AS order_versions
    FROM numbered GROUP BY merchant_id, (number - 1) / 100
  ), sent AS MATERIALIZED (
    SELECT request, (request ->> 'version')::bigint AS version FROM jsonb_array_elements(requests) AS request
  )
  INSERT INTO due_batches AS b (merchant_id, order_ids, member_ids, order_versions, requests)
  SELECT g.merchant_id, g.order_ids, g.member_ids, g.order_versions, (
    SELECT jsonb_agg(s.request) FROM sent s
    WHERE s.version IS NULL OR s.version IN (SELECT unnest(g.order_versions)))
  FROM grouped g
  RETURNING b.merchant_id, b.id, b.order_ids;
END
$$;
