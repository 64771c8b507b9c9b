-- The test side of a merchant is a merchant of its own, so that every query that is scoped to its merchant keeps the two
-- sides apart.
ALTER TABLE "merchants" ADD COLUMN "mode" TEXT NOT NULL DEFAULT 'live';
ALTER TABLE "merchants" ADD COLUMN "live_merchant_id" TEXT;
ALTER TABLE "merchants" ADD COLUMN "wipe_requested_at" TIMESTAMPTZ(6);
ALTER TABLE "merchants" ADD COLUMN "wiped_at" TIMESTAMPTZ(6);
ALTER TABLE "merchants" ADD COLUMN "wiped_version" BIGINT;

-- The id alone shows the mode. The mode of a merchant cannot change without its id.
ALTER TABLE "merchants" ADD CONSTRAINT "merchants_mode" CHECK (
  "mode" IN ('live', 'test')
  AND ("mode" = 'test') = ("live_merchant_id" IS NOT NULL)
  AND ("mode" = 'test') = starts_with("id", 'mer_test_'));
-- The data of a live side cannot be deleted: the deletion runs for merchants with wipe_requested_at only.
ALTER TABLE "merchants" ADD CONSTRAINT "merchants_wipe" CHECK (
  "mode" = 'test' OR ("wipe_requested_at" IS NULL AND "wiped_at" IS NULL AND "wiped_version" IS NULL));

CREATE UNIQUE INDEX "merchants_live_merchant_id_key" ON "merchants"("live_merchant_id");
CREATE INDEX "merchants_wiping_idx" ON "merchants"("wipe_requested_at") WHERE (wipe_requested_at IS NOT NULL);

-- The merchant that users and roles belong to: that of both sides. The one place that resolves it.
CREATE FUNCTION "rules"."live_merchant"(merchant text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT m.live_merchant_id FROM public.merchants m WHERE m.id = merchant), merchant)
$$;

-- Held, shared, until the end of a transaction that writes data of a test side. The last step of the deletion of test data
-- takes it exclusively, so that no transaction that began before it commits after it.
CREATE FUNCTION "rules"."share_test_data"(merchant text) RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock_shared(hashtextextended('rewardhook test data ' || merchant, 0))
$$;

CREATE FUNCTION "rules"."write_test_data"() RETURNS trigger LANGUAGE plpgsql AS E'BEGIN
  PERFORM rules.share_test_data(NEW.merchant_id)\x3b
  RETURN NEW\x3b
END';

-- Orders that were accepted before the deletion of test data may still be in the queue: they are not stored.
CREATE FUNCTION "rules"."write_test_order"() RETURNS trigger LANGUAGE plpgsql AS E'BEGIN
  PERFORM rules.share_test_data(NEW.merchant_id)\x3b
  IF NEW.version <= (SELECT m.wiped_version FROM public.merchants m WHERE m.id = NEW.merchant_id) THEN
    RETURN NULL\x3b
  END IF\x3b
  RETURN NEW\x3b
END';

-- Triggers, so that they hold for processes of the release before, too. Rows of live merchants cost a comparison.
CREATE TRIGGER "orders_of_test_side" BEFORE INSERT ON "orders"
  FOR EACH ROW WHEN (starts_with(NEW.merchant_id, 'mer_test_')) EXECUTE FUNCTION "rules"."write_test_order"();
CREATE TRIGGER "due_batches_of_test_side" BEFORE INSERT ON "due_batches"
  FOR EACH ROW WHEN (starts_with(NEW.merchant_id, 'mer_test_')) EXECUTE FUNCTION "rules"."write_test_data"();
CREATE TRIGGER "members_of_test_side" BEFORE INSERT ON "members"
  FOR EACH ROW WHEN (starts_with(NEW.merchant_id, 'mer_test_')) EXECUTE FUNCTION "rules"."write_test_data"();
CREATE TRIGGER "referrals_of_test_side" BEFORE INSERT ON "referrals"
  FOR EACH ROW WHEN (starts_with(NEW.merchant_id, 'mer_test_')) EXECUTE FUNCTION "rules"."write_test_data"();
