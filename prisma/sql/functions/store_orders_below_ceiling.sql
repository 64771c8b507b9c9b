-- Stores batches as store_orders does, provided that the ceiling of versions is at least `highest`, their highest
-- version. Otherwise it stores nothing and returns one row of nulls: the caller raises the ceiling first, in a
-- transaction of its own, so that concurrent batches do not wait for each other. In the database, because the check
-- and the storing are one transaction and one round trip.
CREATE OR REPLACE FUNCTION rules.store_orders_below_ceiling(batches jsonb, highest bigint)
RETURNS TABLE(merchant_id text, id uuid, order_ids text[]) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  IF EXISTS (SELECT 1 FROM version_ceiling WHERE version >= highest) THEN
    RETURN QUERY SELECT * FROM rules.store_orders(batches);
  ELSE
    RETURN QUERY SELECT null::text, null::uuid, null::text[];
  END IF;
END
$$;
