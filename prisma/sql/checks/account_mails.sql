-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one.
ALTER TABLE account_mails
  ADD CONSTRAINT account_mails_kind CHECK (kind IN ('sign_up', 'password_reset', 'invitation', 'contact_confirmation'));
