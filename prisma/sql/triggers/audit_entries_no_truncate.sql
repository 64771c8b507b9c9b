-- TRUNCATE fires no trigger of rows.
CREATE OR REPLACE TRIGGER audit_entries_no_truncate BEFORE TRUNCATE ON audit_entries
  FOR EACH STATEMENT EXECUTE FUNCTION rules.audit_is_append_only();
