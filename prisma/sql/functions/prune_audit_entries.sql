-- Deletes the oldest entries from before a time, at most `most` of them, and returns how many. In the database,
-- because it runs with the rights of the owner: the role of the application prunes by it, and has no right to delete
-- otherwise.
-- pg_temp is searched first unless it is named: the role of the application could create a temporary table with the
-- name of the audit, whose trigger would run with the rights of the owner.
CREATE OR REPLACE FUNCTION rules.prune_audit_entries(before timestamptz, most integer)
RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  pruned integer;
BEGIN
  PERFORM set_config('rewardhook.prunes_audit', 'on', true);
  DELETE FROM audit_entries WHERE id IN (
    SELECT id FROM audit_entries
    WHERE at < least(before, now() - interval '30 days') ORDER BY at, id LIMIT most);
  GET DIAGNOSTICS pruned = ROW_COUNT;
  PERFORM set_config('rewardhook.prunes_audit', 'off', true);
  RETURN pruned;
END
$$;
