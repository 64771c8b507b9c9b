-- The table has one row.
ALTER TABLE version_ceiling
  ADD CONSTRAINT version_ceiling_one_row CHECK (id);
