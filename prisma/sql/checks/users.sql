-- The unique index compares addresses as they are stored.
ALTER TABLE users
  ADD CONSTRAINT users_email CHECK (email = lower(email));
