-- The id alone shows the mode, which cannot change without it.
ALTER TABLE merchants
  ADD CONSTRAINT merchants_mode CHECK (
    mode IN ('live', 'test')
    AND (mode = 'test') = (live_merchant_id IS NOT NULL)
    AND (mode = 'test') = starts_with(id, 'mer_test_'));
