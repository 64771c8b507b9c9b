-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one.
ALTER TABLE reward_corrections ADD CONSTRAINT reward_corrections_kind CHECK (kind IN ('grant', 'adjust', 'revoke'));
