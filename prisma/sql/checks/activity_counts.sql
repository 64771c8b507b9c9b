-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one.
ALTER TABLE activity_counts
  ADD CONSTRAINT activity_counts_subject CHECK (subject IN ('order', 'delivery', 'decision'));
