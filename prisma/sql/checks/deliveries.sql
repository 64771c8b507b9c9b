-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one.
ALTER TABLE deliveries
  ADD CONSTRAINT deliveries_state CHECK (state IN ('pending', 'held', 'delivered', 'exhausted', 'cancelled'));
