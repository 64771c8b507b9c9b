-- A sample that was sent as a test event. The default is stored once, not in each row.
ALTER TABLE "events" ADD COLUMN "sample" BOOLEAN NOT NULL DEFAULT false;
