-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one.
ALTER TABLE invitations
  ADD CONSTRAINT invitations_role CHECK (role IN ('owner', 'developer', 'marketer', 'support', 'viewer'));
