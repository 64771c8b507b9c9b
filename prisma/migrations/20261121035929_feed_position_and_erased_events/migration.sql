-- AlterTable
ALTER TABLE "merchants" ADD COLUMN     "feed_position" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "events" ADD COLUMN     "erased_at" TIMESTAMPTZ(6);

-- CreateIndex
CREATE INDEX "deliveries_held_idx" ON "deliveries"("endpoint_id") WHERE (state = 'held');

-- What Prisma cannot express. Bodies that an erasure has changed already name a tombstone.
UPDATE "events" SET "erased_at" = now() WHERE "body" ~ '"erased-[0-9A-Za-z]{22}"';
