-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one.
ALTER TABLE problems
  ADD CONSTRAINT problems_kind CHECK (kind IN ('webhook_failing', 'webhook_disabled', 'deliveries_exhausted', 'no_webhook',
    'revocations_not_subscribed', 'requests_refused', 'orders_without_referrer', 'referrals_to_review', 'budget_nearly_used',
    'signing_key_expiring', 'finding')),
  ADD CONSTRAINT problems_mailed_to CHECK (mailed_to IN ('contact', 'owners', 'operator', 'none'));
