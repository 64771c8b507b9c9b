-- The table has one row.
ALTER TABLE attempt_progress
  ADD CONSTRAINT attempt_progress_one_row CHECK (one);
