-- The table has one row.
ALTER TABLE installation
  ADD CONSTRAINT installation_one_row CHECK (one);
