-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "created_by" TEXT;

-- AlterTable
ALTER TABLE "merchants" ADD COLUMN     "next_digest_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- CreateTable
CREATE TABLE "sign_ups" (
    "token_sha256" BYTEA NOT NULL,
    "email" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "sign_ups_pkey" PRIMARY KEY ("token_sha256")
);

-- CreateTable
CREATE TABLE "contact_confirmations" (
    "merchant_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "token_sha256" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "contact_confirmations_pkey" PRIMARY KEY ("merchant_id")
);

-- CreateTable
CREATE TABLE "account_mails" (
    "id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "recipient" TEXT NOT NULL,
    "merchant_id" TEXT,
    "subject_id" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_mails_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "sign_ups_expires_at_idx" ON "sign_ups"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "contact_confirmations_token_sha256_key" ON "contact_confirmations"("token_sha256");

-- CreateIndex
CREATE INDEX "account_mails_next_at_idx" ON "account_mails"("next_at");

-- Contact addresses that nobody has confirmed: no notice goes there until somebody does.
INSERT INTO "contact_confirmations" ("merchant_id", "email", "token_sha256", "expires_at")
SELECT "id", "contact_email", sha256(convert_to(gen_random_uuid()::text, 'UTF8')), now()
FROM "merchants" WHERE "contact_email" IS NOT NULL;
UPDATE "merchants" SET "contact_email" = NULL WHERE "contact_email" IS NOT NULL;

-- Open invitations whose links were handed over by the inviter: they prove no address.
UPDATE "invitations" SET "revoked_at" = now() WHERE "accepted_at" IS NULL AND "revoked_at" IS NULL;
