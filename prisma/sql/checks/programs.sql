-- The sum of live rewards: below 0, a reward was subtracted twice.
ALTER TABLE programs
  ADD CONSTRAINT programs_spent CHECK (spent >= 0);
