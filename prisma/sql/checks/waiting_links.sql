-- As for the links in force (referrals.sql).
ALTER TABLE waiting_links
  ADD CONSTRAINT waiting_links_source CHECK (source IN ('boot', 'link')),
  ADD CONSTRAINT waiting_links_review CHECK (
    review IN ('none', 'pending', 'accepted', 'rejected')
    AND (review IN ('accepted', 'rejected')) = (reviewed_at IS NOT NULL)
    AND (reviewed_at IS NULL) = (reviewed_by IS NULL));
