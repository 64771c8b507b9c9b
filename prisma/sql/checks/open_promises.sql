-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one.
ALTER TABLE open_promises
  ADD CONSTRAINT open_promises_kind CHECK (kind IN ('evaluated', 'delivered')),
  ADD CONSTRAINT open_promises_holder CHECK (holder IN ('waiting', 'parked', 'sending', 'breaker', 'paused', 'operator_paused', 'disabled',
    'exhausted', 'no_webhook', 'acknowledged'));
