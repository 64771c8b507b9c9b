-- Creating a replay counts for a limited time: false when there were more deliveries than that time allowed to count.
ALTER TABLE "replays" ADD COLUMN "total_complete" BOOLEAN NOT NULL DEFAULT true;
