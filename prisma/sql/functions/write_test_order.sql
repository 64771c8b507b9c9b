-- The trigger of orders of test sides. Orders that were accepted before the deletion of test data may still be in the
-- queue: they are not stored. Nor are those that come while it runs: a test side that receives orders all the time
-- would never be empty. The first check needs no lock, so that a statement with rows of many merchants does not wait.
-- The second one, under the lock, covers a deletion that was requested meanwhile or has just ended.
CREATE OR REPLACE FUNCTION rules.write_test_order()
RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM public.merchants m WHERE m.id = NEW.merchant_id AND m.wipe_requested_at IS NOT NULL
  ) THEN
    RETURN NULL;
  END IF;
  PERFORM rules.share_test_data(NEW.merchant_id);
  IF EXISTS (
    SELECT FROM public.merchants m WHERE m.id = NEW.merchant_id
      AND (m.wipe_requested_at IS NOT NULL OR NEW.version <= m.wiped_version)
  ) THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END
$$;
