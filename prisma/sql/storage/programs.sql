-- The sum of rewards changes with each of them: a page keeps room for new versions.
ALTER TABLE programs SET (
  fillfactor = 50
);
