-- The merchant that users and roles belong to: that of both sides. In the database, because it is the one place that
-- resolves it, for every statement.
CREATE OR REPLACE FUNCTION rules.live_merchant(merchant text)
RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT m.live_merchant_id FROM public.merchants m WHERE m.id = merchant), merchant)
$$;
