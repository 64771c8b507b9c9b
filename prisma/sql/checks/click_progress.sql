-- The table has one row.
ALTER TABLE click_progress
  ADD CONSTRAINT click_progress_one_row CHECK (one);
