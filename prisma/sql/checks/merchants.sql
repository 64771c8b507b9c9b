-- The id alone shows the mode, which cannot change without it. A pause has a reason, and a contact that the merchant is shown.
-- Amounts of rewards are numbers of JavaScript.
ALTER TABLE merchants
  ADD CONSTRAINT merchants_mode CHECK (
    mode IN ('live', 'test')
    AND (mode = 'test') = (live_merchant_id IS NOT NULL)
    AND (mode = 'test') = starts_with(id, 'mer_test_')),
  ADD CONSTRAINT merchants_pause CHECK (
    (coalesce(ingest_paused_at, delivery_paused_at) IS NOT NULL) = (pause_reason IS NOT NULL)
    AND (pause_reason IS NOT NULL) = (pause_contact IS NOT NULL)
    AND (pause_reason IS NULL OR mode = 'live')),
  ADD CONSTRAINT merchants_manual_reward_limit CHECK (manual_reward_limit BETWEEN 1 AND 9007199254740991);
