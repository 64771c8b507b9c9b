-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one. A
-- rate of 0 would never end.
ALTER TABLE replays
  ADD CONSTRAINT replays_state CHECK (state IN ('running', 'paused', 'cancelled', 'done')),
  ADD CONSTRAINT replays_per_minute CHECK (per_minute > 0);
