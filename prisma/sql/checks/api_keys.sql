-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one. A
-- secret key is stored as a hash only, whatever the program does.
ALTER TABLE api_keys
  ADD CONSTRAINT api_keys_kind CHECK (kind IN ('secret', 'public')),
  ADD CONSTRAINT api_keys_public_value CHECK (public_value IS NULL OR kind = 'public');
