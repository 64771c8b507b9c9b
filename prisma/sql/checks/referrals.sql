-- Nobody refers themselves, and a review has its reviewer, whatever the program does.
ALTER TABLE referrals
  ADD CONSTRAINT referrals_never_oneself CHECK (referee_member_id <> referrer_member_id),
  ADD CONSTRAINT referrals_source CHECK (source IN ('boot', 'link')),
  ADD CONSTRAINT referrals_ended CHECK (ended IN ('merged', 'cycle')),
  ADD CONSTRAINT referrals_review CHECK (
    review IN ('none', 'pending', 'accepted', 'rejected')
    AND (review IN ('accepted', 'rejected')) = (reviewed_at IS NOT NULL)
    AND (reviewed_at IS NULL) = (reviewed_by IS NULL));
