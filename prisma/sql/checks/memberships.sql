-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one.
ALTER TABLE memberships
  ADD CONSTRAINT memberships_role CHECK (role IN ('owner', 'developer', 'marketer', 'support', 'viewer'));
