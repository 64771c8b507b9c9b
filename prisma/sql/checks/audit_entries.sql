-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one.
ALTER TABLE audit_entries
  ADD CONSTRAINT audit_entries_actor_kind CHECK (actor_kind IN ('user', 'api_key', 'operator', 'system', 'unknown')),
  ADD CONSTRAINT audit_entries_outcome CHECK (outcome IN ('done', 'refused'));
