-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one.
ALTER TABLE verified_origins
  ADD CONSTRAINT verified_origins_proof CHECK (proof IN ('file', 'operator'));
