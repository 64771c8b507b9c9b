-- Refuses every change and every deletion of the audit, except that of entries older than 30 days by
-- rules.prune_audit_entries. In the database, so that nobody with the role of the application can change the audit.
-- The owner of the table could disable the trigger. The role of the application cannot, and has no right to delete.
CREATE OR REPLACE FUNCTION rules.audit_is_append_only()
RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('rewardhook.prunes_audit', true) = 'on' THEN
    IF OLD.at < now() - interval '30 days' THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'audit_entries is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;
