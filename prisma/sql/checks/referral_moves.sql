-- Nobody refers themselves, and what a move replaced is known as a whole or not at all.
ALTER TABLE referral_moves
  ADD CONSTRAINT referral_moves_from CHECK (
    num_nulls(from_referrer_member_id, from_code, from_source, from_linked_at) IN (0, 4)
    AND num_nulls(waiting_referrer_member_id, waiting_code, waiting_linked_at) IN (0, 3)),
  ADD CONSTRAINT referral_moves_source CHECK (from_source IN ('boot', 'link'));
