-- The table has one row.
ALTER TABLE promise_counts
  ADD CONSTRAINT promise_counts_one_row CHECK (one);
