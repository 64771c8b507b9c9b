-- The data of a live side cannot be deleted: the deletion runs for the ids of this table only.
ALTER TABLE wipes
  ADD CONSTRAINT wipes_of_test_side CHECK (starts_with(merchant_id, 'mer_test_'));
