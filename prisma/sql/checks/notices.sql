-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one.
ALTER TABLE notices
  ADD CONSTRAINT notices_type CHECK (type IN ('endpoint.failing', 'endpoint.disabling_soon', 'endpoint.disabled'));
