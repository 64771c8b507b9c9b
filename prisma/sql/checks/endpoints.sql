-- A retry schedule of hours outside of this range would end at once or never.
ALTER TABLE endpoints
  ADD CONSTRAINT endpoints_retry_hours CHECK (retry_hours BETWEEN 1 AND 720);
