-- Whether a delivery of an event of this type was created for a reward: the merchant was notified, or will be. The
-- reward keeps the answer longer than the event is kept. In the database, because several statements join it.
CREATE OR REPLACE FUNCTION rules.was_notified(merchant text, reward text, event_type text)
RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce((
    SELECT CASE event_type WHEN 'reward.issue' THEN w.issued_to <> '{}' WHEN 'reward.revoke' THEN w.revoked_to <> '{}' END
    FROM public.rewards w WHERE w.merchant_id = merchant AND w.id = reward), false)
$$;
