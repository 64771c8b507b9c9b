-- As before, and moves the rows of these days out of the default partition, at most 10,000 of them: those are from a
-- clock that is ahead. With more rows it fails with check_violation: no partition was added for days.
CREATE OR REPLACE FUNCTION "rules"."add_partition"(parent text, since date, until date) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS E'
DECLARE
  name text := parent || \'_p\' || to_char(since, \'YYYYMMDD\')\x3b
  other text := parent || \'_default\'\x3b
  key text := CASE parent WHEN \'attempts\' THEN \'started_at\' WHEN \'clicks\' THEN \'clicked_at\' ELSE \'created_at\' END\x3b
BEGIN
  IF parent NOT IN (\'attempts\', \'clicks\', \'events\') OR until <= since OR until - since > 31 THEN
    RAISE EXCEPTION \'% has no partition from % until %\', parent, since, until\x3b
  END IF\x3b
  -- Attached after it was created: this blocks neither reading nor writing the table.
  EXECUTE format(\'CREATE TABLE public.%I (LIKE public.%I INCLUDING ALL)\', name, parent)\x3b
  EXECUTE format(\'LOCK TABLE public.%I IN SHARE ROW EXCLUSIVE MODE\', other)\x3b
  EXECUTE format(
    \'WITH moved AS (
       DELETE FROM public.%1$I WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM public.%1$I WHERE %2$I >= %3$L AND %2$I < %4$L LIMIT 10000))
       RETURNING *
     )
     INSERT INTO public.%5$I SELECT * FROM moved\',
    other, key, since::timestamptz, until::timestamptz, name)\x3b
  EXECUTE format(\'ALTER TABLE public.%I ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)\',
    parent, name, since::timestamptz, until::timestamptz)\x3b
END';
