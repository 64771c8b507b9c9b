-- AlterTable
-- For new merchants. Existing ones keep what they have.
ALTER TABLE "merchants" ALTER COLUMN "require_user_hash" SET DEFAULT true;

-- AlterTable
ALTER TABLE "members" ADD COLUMN     "look_alike" BYTEA;

-- AlterTable
ALTER TABLE "referrals" ADD COLUMN     "review" TEXT NOT NULL DEFAULT 'none',
ADD COLUMN     "reviewed_at" TIMESTAMPTZ(6),
ADD COLUMN     "reviewed_by" TEXT;

-- CreateTable
CREATE TABLE "verified_origins" (
    "merchant_id" TEXT NOT NULL,
    "origin" TEXT NOT NULL,
    "proof" TEXT NOT NULL,
    "verified_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "verified_origins_pkey" PRIMARY KEY ("merchant_id","origin")
);

-- The members so far. New ones are folded by foldMemberId in packages/contract, for whose case folding lower() stands in here.
UPDATE "members" SET "look_alike" = sha256(convert_to(
  btrim(lower(normalize(regexp_replace("member_id",
    '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0]',
    '', 'g'), NFKC)), E' \t\n\r'), 'UTF8'));

-- CreateIndex
CREATE INDEX "members_merchant_id_look_alike_idx" ON "members"("merchant_id", "look_alike");

-- CreateIndex
CREATE INDEX "referrals_needs_review_idx" ON "referrals"("merchant_id", "linked_at") WHERE (review = 'pending');

ALTER TABLE "referrals" ADD CONSTRAINT "referrals_review"
  CHECK ("review" IN ('none', 'pending', 'accepted', 'rejected')
    AND ("review" IN ('accepted', 'rejected')) = ("reviewed_at" IS NOT NULL)
    AND ("reviewed_at" IS NULL) = ("reviewed_by" IS NULL));
ALTER TABLE "verified_origins" ADD CONSTRAINT "verified_origins_proof" CHECK ("proof" IN ('file', 'operator'));

-- Landing URLs that are in use stay in use.
INSERT INTO "verified_origins" ("merchant_id", "origin", "proof")
SELECT "id", substring("landing_url" FROM '^https?://[^/?#]+'), 'operator' FROM "merchants"
WHERE "landing_url" IS NOT NULL;
