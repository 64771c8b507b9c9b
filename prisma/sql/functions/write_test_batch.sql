-- The trigger of due batches of test sides. While the data of a test side is being deleted its batches are not
-- stored, so they do not wait for the deletion: one statement has rows of many merchants, which all would wait.
CREATE OR REPLACE FUNCTION rules.write_test_batch()
RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM public.merchants m WHERE m.id = NEW.merchant_id AND m.wipe_requested_at IS NOT NULL
  ) THEN
    RETURN NULL;
  END IF;
  PERFORM rules.share_test_data(NEW.merchant_id);
  RETURN NEW;
END
$$;
