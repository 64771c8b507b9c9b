-- While the data of a test side is being deleted, statements that write its orders or enqueue them do not wait for the last
-- step of the deletion: these rows are not stored, so they need no lock. One statement has rows of many merchants, which
-- all waited. The second check, under the lock, covers a deletion that was requested meanwhile or has just ended.
CREATE OR REPLACE FUNCTION "rules"."write_test_order"() RETURNS trigger LANGUAGE plpgsql AS E'BEGIN
  IF EXISTS (
    SELECT FROM public.merchants m WHERE m.id = NEW.merchant_id AND m.wipe_requested_at IS NOT NULL
  ) THEN
    RETURN NULL\x3b
  END IF\x3b
  PERFORM rules.share_test_data(NEW.merchant_id)\x3b
  IF EXISTS (
    SELECT FROM public.merchants m WHERE m.id = NEW.merchant_id
      AND (m.wipe_requested_at IS NOT NULL OR NEW.version <= m.wiped_version)
  ) THEN
    RETURN NULL\x3b
  END IF\x3b
  RETURN NEW\x3b
END';

-- The same for the batches that such statements enqueue.
CREATE FUNCTION "rules"."write_test_batch"() RETURNS trigger LANGUAGE plpgsql AS E'BEGIN
  IF EXISTS (
    SELECT FROM public.merchants m WHERE m.id = NEW.merchant_id AND m.wipe_requested_at IS NOT NULL
  ) THEN
    RETURN NULL\x3b
  END IF\x3b
  PERFORM rules.share_test_data(NEW.merchant_id)\x3b
  RETURN NEW\x3b
END';

CREATE OR REPLACE TRIGGER "due_batches_of_test_side" BEFORE INSERT ON "due_batches"
  FOR EACH ROW WHEN (starts_with(NEW.merchant_id, 'mer_test_')) EXECUTE FUNCTION "rules"."write_test_batch"();
