-- DropIndex
DROP INDEX "deliveries_merchant_id_event_id_endpoint_id_key";

-- AlterTable
ALTER TABLE "merchants" ADD COLUMN     "contact_email" TEXT,
ADD COLUMN     "signature_checked_at" TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "last_used_at" TIMESTAMPTZ(6),
ADD COLUMN     "public_value" TEXT;

-- AlterTable
ALTER TABLE "endpoints" RENAME COLUMN "paused_until" TO "send_after";
ALTER TABLE "endpoints" ADD COLUMN     "breaker_opened_at" TIMESTAMPTZ(6),
ADD COLUMN     "burst_failures" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "burst_since" TIMESTAMPTZ(6),
ADD COLUMN     "ramp_per_second" INTEGER,
ADD COLUMN     "failing_since" TIMESTAMPTZ(6),
ADD COLUMN     "failures_in_a_row" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "in_flight_limit" INTEGER NOT NULL DEFAULT 4,
ADD COLUMN     "last_failed_at" TIMESTAMPTZ(6),
ADD COLUMN     "paused_at" TIMESTAMPTZ(6),
ADD COLUMN     "probes_failed" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "retry_hours" INTEGER,
ADD COLUMN     "warned_at" TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "events" ADD COLUMN     "expires_at" TIMESTAMPTZ(6),
ADD COLUMN     "position" BIGINT;

-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "replay_id" TEXT NOT NULL DEFAULT '';

-- AlterTable
ALTER TABLE "attempts" ADD COLUMN     "endpoint_id" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "request_headers" JSON;

-- CreateTable
CREATE TABLE "replays" (
    "merchant_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "endpoint_id" TEXT,
    "states" TEXT[],
    "from_time" TIMESTAMPTZ(6) NOT NULL,
    "until_time" TIMESTAMPTZ(6) NOT NULL,
    "new_ids" BOOLEAN NOT NULL,
    "per_minute" INTEGER NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'running',
    "total" INTEGER NOT NULL,
    "done" INTEGER NOT NULL DEFAULT 0,
    "cursor_time" TIMESTAMPTZ(6),
    "cursor_id" UUID,
    "next_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(6),

    CONSTRAINT "replays_pkey" PRIMARY KEY ("merchant_id","id")
);

-- CreateTable
CREATE TABLE "notices" (
    "merchant_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "mailed_at" TIMESTAMPTZ(6),
    "mail_attempts" INTEGER NOT NULL DEFAULT 0,
    "mail_next_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notices_pkey" PRIMARY KEY ("merchant_id","id")
);

-- CreateTable
CREATE TABLE "users" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "memberships" (
    "merchant_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memberships_pkey" PRIMARY KEY ("merchant_id","user_id")
);

-- CreateTable
CREATE TABLE "sessions" (
    "id_sha256" BYTEA NOT NULL,
    "user_id" TEXT NOT NULL,
    "merchant_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "user_agent" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id_sha256")
);

-- CreateTable
CREATE TABLE "invitations" (
    "merchant_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "token_sha256" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "accepted_at" TIMESTAMPTZ(6),
    "revoked_at" TIMESTAMPTZ(6),

    CONSTRAINT "invitations_pkey" PRIMARY KEY ("merchant_id","id")
);

-- CreateIndex
CREATE INDEX "replays_running_idx" ON "replays"("next_at") WHERE (state = 'running');

-- CreateIndex
CREATE INDEX "notices_unmailed_idx" ON "notices"("mail_next_at") WHERE (mailed_at IS NULL);

-- CreateIndex
CREATE INDEX "notices_merchant_id_created_at_idx" ON "notices"("merchant_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE INDEX "memberships_user_id_idx" ON "memberships"("user_id");

-- CreateIndex
CREATE INDEX "sessions_user_id_idx" ON "sessions"("user_id");

-- CreateIndex
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "invitations_token_sha256_key" ON "invitations"("token_sha256");

-- CreateIndex
CREATE INDEX "orders_created_at_idx" ON "orders" USING BRIN ("created_at");

-- CreateIndex
CREATE INDEX "decisions_created_at_idx" ON "decisions" USING BRIN ("created_at");

-- CreateIndex
CREATE INDEX "rewards_merchant_id_created_at_idx" ON "rewards"("merchant_id", "created_at");

-- CreateIndex
CREATE INDEX "events_without_position_idx" ON "events"("merchant_id", "created_at", "id") WHERE (position IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "events_merchant_id_position_key" ON "events"("merchant_id", "position");

-- CreateIndex
CREATE INDEX "deliveries_merchant_id_endpoint_id_created_at_idx" ON "deliveries"("merchant_id", "endpoint_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "deliveries_merchant_id_event_id_endpoint_id_replay_id_key" ON "deliveries"("merchant_id", "event_id", "endpoint_id", "replay_id");

-- CreateIndex
CREATE INDEX "attempts_merchant_id_started_at_idx" ON "attempts"("merchant_id", "started_at");

-- What Prisma cannot express.
UPDATE "attempts" a SET "endpoint_id" = d."endpoint_id" FROM "deliveries" d WHERE d."id" = a."delivery_id";
ALTER TABLE "attempts" ALTER COLUMN "endpoint_id" DROP DEFAULT;
ALTER TABLE "endpoints" ADD CONSTRAINT "endpoints_retry_hours" CHECK ("retry_hours" BETWEEN 1 AND 720);
ALTER TABLE "replays" ADD CONSTRAINT "replays_state" CHECK ("state" IN ('running', 'paused', 'cancelled', 'done'));
ALTER TABLE "replays" ADD CONSTRAINT "replays_per_minute" CHECK ("per_minute" > 0);
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_role" CHECK ("role" IN ('owner', 'developer', 'viewer'));
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_role" CHECK ("role" IN ('owner', 'developer', 'viewer'));
ALTER TABLE "users" ADD CONSTRAINT "users_email" CHECK ("email" = lower("email"));
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_public_value" CHECK ("public_value" IS NULL OR "kind" = 'public');
