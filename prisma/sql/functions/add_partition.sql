-- Adds a partition for the days from `since`, inclusive, until `until`, exclusive. Rows of these days that are in the
-- default partition are moved, at most 10,000 of them: those are from a clock that is ahead. With more rows it fails
-- with check_violation: no partition was added for days.
-- In the database, because it runs with the rights of the owner: with it and drop_partition the role of the
-- application, which owns no table, can add and drop partitions of these tables, and nothing else.
CREATE OR REPLACE FUNCTION rules.add_partition(parent text, since date, until date)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
  name text := parent || '_p' || to_char(since, 'YYYYMMDD');
  other text := parent || '_default';
  key text := CASE parent
    WHEN 'attempts' THEN 'started_at' WHEN 'clicks' THEN 'clicked_at' WHEN 'requests' THEN 'at' ELSE 'created_at' END;
BEGIN
  IF parent NOT IN ('attempts', 'clicks', 'events', 'requests') OR until <= since OR until - since > 31 THEN
    RAISE EXCEPTION '% has no partition from % until %', parent, since, until;
  END IF;
  -- Attached after it was created: this blocks neither reading nor writing the table.
  EXECUTE format('CREATE TABLE public.%I (LIKE public.%I INCLUDING ALL)', name, parent);
  EXECUTE format('LOCK TABLE public.%I IN SHARE ROW EXCLUSIVE MODE', other);
  EXECUTE format(
    'WITH moved AS (
       DELETE FROM public.%1$I WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM public.%1$I WHERE %2$I >= %3$L AND %2$I < %4$L LIMIT 10000))
       RETURNING *
     )
     INSERT INTO public.%5$I SELECT * FROM moved',
    other, key, since::timestamptz, until::timestamptz, name);
  EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)',
    parent, name, since::timestamptz, until::timestamptz);
END
$$;

REVOKE EXECUTE ON FUNCTION rules.add_partition(text, date, date) FROM PUBLIC;
