-- Drops a partition that has no rows of the last day. In the database for the reason of add_partition.
CREATE OR REPLACE FUNCTION rules.drop_partition(partition text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
BEGIN
  IF NOT EXISTS (
    SELECT 1 FROM rules.partitions p
    WHERE p.name = partition AND p.parent IN ('attempts', 'clicks', 'events', 'requests')
      AND p.until <= now() - interval '1 day') THEN
    RAISE EXCEPTION '% is not a partition that can be dropped', partition;
  END IF;
  EXECUTE format('DROP TABLE public.%I', partition);
END
$$;

REVOKE EXECUTE ON FUNCTION rules.drop_partition(text) FROM PUBLIC;
