-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one.
ALTER TABLE decisions
  ADD CONSTRAINT decisions_outcome CHECK (outcome IN ('rewarded', 'confirmed', 'adjusted', 'kept', 'withdrawn', 'no_reward'));
