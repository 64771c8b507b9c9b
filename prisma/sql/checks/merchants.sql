-- The id alone shows the mode, which cannot change without it. The data of a live side cannot be deleted: the
-- deletion runs for merchants with wipe_requested_at only.
ALTER TABLE merchants
  ADD CONSTRAINT merchants_mode CHECK (
    mode IN ('live', 'test')
    AND (mode = 'test') = (live_merchant_id IS NOT NULL)
    AND (mode = 'test') = starts_with(id, 'mer_test_')),
  ADD CONSTRAINT merchants_wipe CHECK (mode = 'test' OR (wipe_requested_at IS NULL AND wiped_at IS NULL AND wiped_version IS NULL));
