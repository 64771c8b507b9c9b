-- Who did what: an append-only table.

CREATE TABLE "audit_entries" (
    "id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
    "merchant_id" TEXT,
    "actor_kind" TEXT NOT NULL,
    "actor_id" TEXT,
    "actor_name" TEXT,
    "action" TEXT NOT NULL,
    "outcome" TEXT NOT NULL DEFAULT 'done',
    "subject_kind" TEXT NOT NULL,
    "subject_id" TEXT,
    "address" TEXT,
    "request_id" TEXT,
    "details" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "audit_entries_actor_kind" CHECK ("actor_kind" IN ('user', 'operator', 'system', 'unknown')),
    CONSTRAINT "audit_entries_outcome" CHECK ("outcome" IN ('done', 'refused'))
);

CREATE INDEX "audit_entries_merchant_id_at_id_idx" ON "audit_entries"("merchant_id", "at", "id");

CREATE INDEX "audit_entries_at_id_idx" ON "audit_entries"("at", "id");

-- Refuses every change and every deletion, except that of entries older than 30 days by rules.prune_audit_entries.
-- The owner of the table could disable the trigger. The role of the application cannot, and has no right to delete.
CREATE FUNCTION "rules"."audit_is_append_only"() RETURNS trigger LANGUAGE plpgsql AS E'BEGIN
  IF TG_OP = \'DELETE\' AND current_setting(\'rewardhook.prunes_audit\', true) = \'on\' THEN
    IF OLD.at < now() - interval \'30 days\' THEN
      RETURN OLD\x3b
    END IF\x3b
  END IF\x3b
  RAISE EXCEPTION \'audit_entries is append-only: % is refused\', TG_OP USING ERRCODE = \'insufficient_privilege\'\x3b
END';

CREATE TRIGGER "audit_entries_append_only" BEFORE UPDATE OR DELETE ON "audit_entries"
  FOR EACH ROW EXECUTE FUNCTION "rules"."audit_is_append_only"();

CREATE TRIGGER "audit_entries_no_truncate" BEFORE TRUNCATE ON "audit_entries"
  FOR EACH STATEMENT EXECUTE FUNCTION "rules"."audit_is_append_only"();

-- Deletes the oldest entries from before a time, at most "most" of them, and returns how many. It runs with the rights of
-- the owner: the role of the application prunes by it, and has no right to delete otherwise.
CREATE FUNCTION "rules"."prune_audit_entries"(before timestamptz, most integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS E'DECLARE
  pruned integer\x3b
BEGIN
  PERFORM set_config(\'rewardhook.prunes_audit\', \'on\', true)\x3b
  DELETE FROM audit_entries WHERE id IN (
    SELECT id FROM audit_entries
    WHERE at < least(before, now() - interval \'30 days\') ORDER BY at, id LIMIT most)\x3b
  GET DIAGNOSTICS pruned = ROW_COUNT\x3b
  PERFORM set_config(\'rewardhook.prunes_audit\', \'off\', true)\x3b
  RETURN pruned\x3b
END';
