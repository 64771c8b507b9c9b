-- The data of a merchant is deleted under an id that it had, never under the one that it has.
ALTER TABLE wipes
  ADD CONSTRAINT wipes_of_former_id CHECK (merchant_id <> live_merchant_id);
