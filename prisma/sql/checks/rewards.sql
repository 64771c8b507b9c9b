-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one. A
-- reward of nothing is none.
ALTER TABLE rewards
  ADD CONSTRAINT rewards_link_source CHECK (link_source IN ('boot', 'link')),
  ADD CONSTRAINT rewards_role CHECK (role IN ('referee', 'referrer')),
  ADD CONSTRAINT rewards_correction CHECK (correction IN ('adjusted', 'revoked')),
  ADD CONSTRAINT rewards_amount CHECK (amount > 0),
  ADD CONSTRAINT rewards_state CHECK (state IN ('pending', 'confirmed', 'revoked', 'cancelled'));
