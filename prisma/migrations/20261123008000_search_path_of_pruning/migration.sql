-- pg_temp is searched first unless it is named. The role of the application could create a temporary table with this
-- name, whose trigger would run with the rights of the owner.
ALTER FUNCTION "rules"."prune_audit_entries"(timestamptz, integer) SET search_path = pg_catalog, public, pg_temp;
