-- Held, shared, until the end of a transaction that writes data of a test side. The last step of the deletion of test
-- data takes it exclusively, so that no transaction that began before it commits after it. In the database, because
-- triggers call it.
CREATE OR REPLACE FUNCTION rules.share_test_data(merchant text)
RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock_shared(hashtextextended('rewardhook test data ' || merchant, 0))
$$;
