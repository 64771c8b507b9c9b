-- Written by "npm run migration" from prisma/schema.prisma and prisma/sql.

-- Functions and views are kept apart from the tables.
CREATE SCHEMA rules;

-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "merchants" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "timezone" TEXT NOT NULL DEFAULT 'Asia/Seoul',
    "identity_secret" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    "landing_url" TEXT,
    "allowed_origins" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "require_user_hash" BOOLEAN NOT NULL DEFAULT true,
    "attribution_days" INTEGER NOT NULL DEFAULT 30,
    "contact_email" TEXT,
    "next_digest_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    "signature_checked_at" TIMESTAMPTZ(6),
    "last_ping_at" TIMESTAMPTZ(6),
    "uses_feed" BOOLEAN NOT NULL DEFAULT false,
    "feed_read_at" TIMESTAMPTZ(6),
    "ingest_paused_at" TIMESTAMPTZ(6),
    "delivery_paused_at" TIMESTAMPTZ(6),
    "pause_reason" TEXT,
    "pause_contact" TEXT,
    "requests_per_second" INTEGER,
    "waiting_kib" INTEGER,
    "manual_reward_limit" BIGINT NOT NULL DEFAULT 1000000,
    "feed_position" BIGINT NOT NULL DEFAULT 0,
    "feed_fingerprint" BIGINT NOT NULL DEFAULT 0,
    "id_salt" UUID NOT NULL DEFAULT gen_random_uuid(),
    "mode" TEXT NOT NULL DEFAULT 'live',
    "live_merchant_id" TEXT,

    CONSTRAINT "merchants_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "wipes" (
    "merchant_id" TEXT NOT NULL,
    "live_merchant_id" TEXT NOT NULL,
    "requested_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
    "finished_at" TIMESTAMPTZ(6),

    CONSTRAINT "wipes_pkey" PRIMARY KEY ("merchant_id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "merchant_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "sha256" BYTEA NOT NULL,
    "prefix" TEXT NOT NULL,
    "last_four" TEXT NOT NULL,
    "public_value" TEXT,
    "last_used_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    "revoked_at" TIMESTAMPTZ(6),
    "created_by" TEXT,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "signing_keys" (
    "id" TEXT NOT NULL,
    "merchant_id" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    "promoted_at" TIMESTAMPTZ(6) NOT NULL,
    "expires_at" TIMESTAMPTZ(6),

    CONSTRAINT "signing_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "former_identity_secrets" (
    "id" TEXT NOT NULL,
    "merchant_id" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "replaced_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "former_identity_secrets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "endpoints" (
    "id" TEXT NOT NULL,
    "merchant_id" TEXT NOT NULL,
    "name" TEXT,
    "url" TEXT NOT NULL,
    "event_types" TEXT[],
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    "disabled_at" TIMESTAMPTZ(6),
    "disabled_reason" JSONB,
    "paused_at" TIMESTAMPTZ(6),
    "operator_paused_at" TIMESTAMPTZ(6),
    "send_after" TIMESTAMPTZ(6),
    "retry_at" TIMESTAMPTZ(6),
    "in_flight_limit" INTEGER NOT NULL DEFAULT 4,
    "failures_in_a_row" INTEGER NOT NULL DEFAULT 0,
    "burst_failures" INTEGER NOT NULL DEFAULT 0,
    "burst_since" TIMESTAMPTZ(6),
    "failing_since" TIMESTAMPTZ(6),
    "last_failed_at" TIMESTAMPTZ(6),
    "breaker_opened_at" TIMESTAMPTZ(6),
    "probes_failed" INTEGER NOT NULL DEFAULT 0,
    "ramp_per_second" INTEGER,
    "warned_at" TIMESTAMPTZ(6),
    "retry_hours" INTEGER,
    "first_success_at" TIMESTAMPTZ(6),
    "deleted_at" TIMESTAMPTZ(6),
    "parked_at" TIMESTAMPTZ(6),
    "parked_error" TEXT,
    "sendable" BOOLEAN NOT NULL,
    "holds_deliveries" BOOLEAN NOT NULL,

    CONSTRAINT "endpoints_pkey" PRIMARY KEY ("merchant_id","id")
);

-- CreateTable
CREATE TABLE "webhook_hosts" (
    "host" TEXT NOT NULL,
    "next_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "webhook_hosts_pkey" PRIMARY KEY ("host")
);

-- CreateTable
CREATE TABLE "members" (
    "merchant_id" TEXT NOT NULL,
    "member_id" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    "look_alike" BYTEA NOT NULL,

    CONSTRAINT "members_pkey" PRIMARY KEY ("merchant_id","member_id")
);

-- CreateTable
CREATE TABLE "member_aliases" (
    "merchant_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "alias_id" TEXT NOT NULL,
    "member_id" TEXT NOT NULL,
    "merged_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
    "reason" TEXT NOT NULL,
    "merged_by" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request" TEXT NOT NULL,
    "result" JSONB NOT NULL,
    "orders_moved_at" TIMESTAMPTZ(6),
    "move_after_xid" xid8,

    CONSTRAINT "member_aliases_pkey" PRIMARY KEY ("merchant_id","alias_id")
);

-- CreateTable
-- By time, so that old rows are dropped with their partition: deleting them would leave as many dead rows. Prisma
-- knows no partitions: this clause belongs to the table of schema.prisma.
CREATE TABLE "clicks" (
    "id" TEXT NOT NULL,
    "merchant_id" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "clicked_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),

    CONSTRAINT "clicks_pkey" PRIMARY KEY ("merchant_id","id","clicked_at")
) PARTITION BY RANGE (clicked_at);

-- CreateTable
CREATE TABLE "click_counts" (
    "merchant_id" TEXT NOT NULL,
    "starts_at" TIMESTAMPTZ(6) NOT NULL,
    "total" INTEGER NOT NULL,

    CONSTRAINT "click_counts_pkey" PRIMARY KEY ("merchant_id","starts_at")
);

-- CreateTable
CREATE TABLE "click_progress" (
    "one" BOOLEAN NOT NULL DEFAULT true,
    "counted_until" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "click_progress_pkey" PRIMARY KEY ("one")
);

-- CreateTable
-- By time, so that old rows are dropped with their partition: deleting them would leave as many dead rows. Prisma
-- knows no partitions: this clause belongs to the table of schema.prisma.
CREATE TABLE "requests" (
    "merchant_id" TEXT NOT NULL,
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "at" TIMESTAMPTZ(6) NOT NULL,
    "route" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "code" TEXT,
    "key_id" TEXT NOT NULL,
    "size" INTEGER,
    "duration_ms" DOUBLE PRECISION NOT NULL,
    "request_id" TEXT NOT NULL,
    "errors" JSONB NOT NULL DEFAULT '[]',
    "order_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "warnings" TEXT[] DEFAULT ARRAY[]::TEXT[],

    CONSTRAINT "requests_pkey" PRIMARY KEY ("merchant_id","id","at")
) PARTITION BY RANGE (at);

-- CreateTable
CREATE TABLE "request_counts" (
    "merchant_id" TEXT NOT NULL,
    "starts_at" TIMESTAMPTZ(6) NOT NULL,
    "route" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "writer" TEXT NOT NULL,
    "total" INTEGER NOT NULL,

    CONSTRAINT "request_counts_pkey" PRIMARY KEY ("merchant_id","starts_at","route","code","writer")
);

-- CreateTable
CREATE TABLE "referrals" (
    "merchant_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "referee_member_id" TEXT NOT NULL,
    "referrer_member_id" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "flags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "review" TEXT NOT NULL DEFAULT 'none',
    "reviewed_by" TEXT,
    "reviewed_at" TIMESTAMPTZ(6),
    "linked_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
    "had_order_before" BOOLEAN NOT NULL DEFAULT false,
    "ended" TEXT,
    "merged_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "moves" INTEGER NOT NULL DEFAULT 0,
    "from_order_id" TEXT,
    "orders_enqueued_at" TIMESTAMPTZ(6),
    "enqueue_after_xid" xid8,

    CONSTRAINT "referrals_pkey" PRIMARY KEY ("merchant_id","id")
);

-- CreateTable
CREATE TABLE "waiting_links" (
    "merchant_id" TEXT NOT NULL,
    "referral_id" TEXT NOT NULL,
    "referrer_member_id" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "flags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "review" TEXT NOT NULL DEFAULT 'none',
    "reviewed_by" TEXT,
    "reviewed_at" TIMESTAMPTZ(6),
    "linked_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "waiting_links_pkey" PRIMARY KEY ("merchant_id","referral_id")
);

-- CreateTable
CREATE TABLE "referral_moves" (
    "merchant_id" TEXT NOT NULL,
    "referral_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "from_referrer_member_id" TEXT,
    "from_code" TEXT,
    "from_source" TEXT,
    "from_linked_at" TIMESTAMPTZ(6),
    "waiting_referrer_member_id" TEXT,
    "waiting_code" TEXT,
    "waiting_linked_at" TIMESTAMPTZ(6),
    "to_referrer_member_id" TEXT NOT NULL,
    "from_order_id" TEXT,
    "reason" TEXT NOT NULL,
    "moved_by" TEXT NOT NULL,
    "moved_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
    "key" TEXT NOT NULL,

    CONSTRAINT "referral_moves_pkey" PRIMARY KEY ("merchant_id","referral_id","number")
);

-- CreateTable
CREATE TABLE "verified_origins" (
    "merchant_id" TEXT NOT NULL,
    "origin" TEXT NOT NULL,
    "proof" TEXT NOT NULL,
    "verified_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),

    CONSTRAINT "verified_origins_pkey" PRIMARY KEY ("merchant_id","origin")
);

-- CreateTable
CREATE TABLE "programs" (
    "merchant_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "spent" DECIMAL(38,0) NOT NULL DEFAULT 0,
    "budget" BIGINT,

    CONSTRAINT "programs_pkey" PRIMARY KEY ("merchant_id")
);

-- CreateTable
CREATE TABLE "program_versions" (
    "merchant_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "program_id" TEXT NOT NULL,
    "terms" JSONB NOT NULL,
    "published_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
    "published_by" TEXT,
    "note" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "program_versions_pkey" PRIMARY KEY ("merchant_id","version")
);

-- CreateTable
CREATE TABLE "program_drafts" (
    "merchant_id" TEXT NOT NULL,
    "terms" JSONB NOT NULL,
    "base_version" INTEGER NOT NULL,
    "saved_by" TEXT NOT NULL,
    "saved_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "program_drafts_pkey" PRIMARY KEY ("merchant_id")
);

-- CreateTable
CREATE TABLE "orders" (
    "merchant_id" TEXT NOT NULL,
    "order_id" TEXT NOT NULL,
    "version" BIGINT NOT NULL,
    "member_id" TEXT NOT NULL,
    "sent_member_id" TEXT,
    "order_amount" BIGINT NOT NULL,
    "paid_amount" BIGINT NOT NULL,
    "shipping_amount" BIGINT NOT NULL,
    "order_date" TIMESTAMPTZ(6) NOT NULL,
    "first_order" BOOLEAN NOT NULL,
    "paid_at" TIMESTAMPTZ(6),
    "counts_as_paid_at" TIMESTAMPTZ(6),
    "cancelled_at" TIMESTAMPTZ(6),
    "returned_at" TIMESTAMPTZ(6),
    "currency" TEXT,
    "labels" TEXT[],
    "items" JSONB NOT NULL,
    "sent_at" BIGINT NOT NULL DEFAULT 0,
    "outdated" BIGINT[] DEFAULT ARRAY[]::BIGINT[],
    "versions" BIGINT[],
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),

    CONSTRAINT "orders_pkey" PRIMARY KEY ("merchant_id","order_id")
);

-- CreateTable
CREATE TABLE "version_ceiling" (
    "id" BOOLEAN NOT NULL DEFAULT true,
    "version" BIGINT NOT NULL,
    "raised_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "version_ceiling_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "installation" (
    "one" BOOLEAN NOT NULL DEFAULT true,
    "id" UUID NOT NULL,

    CONSTRAINT "installation_pkey" PRIMARY KEY ("one")
);

-- CreateTable
CREATE TABLE "due_batches" (
    "merchant_id" TEXT NOT NULL,
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "order_ids" TEXT[],
    "member_ids" TEXT[],
    "due_since" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    "swept_at" TIMESTAMPTZ(6),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "last_error" TEXT,
    "parked_at" TIMESTAMPTZ(6),
    "order_versions" BIGINT[],
    "requests" JSONB,
    "orders" INTEGER NOT NULL,

    CONSTRAINT "due_batches_pkey" PRIMARY KEY ("merchant_id","id")
);

-- CreateTable
CREATE TABLE "decisions" (
    "merchant_id" TEXT NOT NULL,
    "order_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "order_version" BIGINT NOT NULL,
    "member_id" TEXT NOT NULL,
    "referral_id" TEXT NOT NULL,
    "program_version" INTEGER NOT NULL,
    "rule" TEXT,
    "outcome" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "checks" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "decisions_pkey" PRIMARY KEY ("merchant_id","order_id","number")
);

-- CreateTable
CREATE TABLE "rewards" (
    "merchant_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "program_id" TEXT NOT NULL,
    "program_version" INTEGER NOT NULL,
    "rule" TEXT,
    "referral_id" TEXT NOT NULL,
    "link_source" TEXT NOT NULL DEFAULT 'link',
    "link_number" INTEGER NOT NULL DEFAULT 0,
    "subject" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "member_id" TEXT NOT NULL,
    "order_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "unit" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
    "month" TEXT NOT NULL,
    "hold_days" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "confirm_due_at" TIMESTAMPTZ(6),
    "hold_enqueued" BOOLEAN NOT NULL DEFAULT false,
    "confirmed_at" TIMESTAMPTZ(6),
    "expires_at" TIMESTAMPTZ(6),
    "ended_at" TIMESTAMPTZ(6),
    "issued_to" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "revoked_to" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "blocked_by_open_revocation" BOOLEAN NOT NULL DEFAULT false,
    "no_webhook_registered" BOOLEAN NOT NULL DEFAULT false,
    "correction" TEXT,
    "issued_member_id" TEXT,

    CONSTRAINT "rewards_pkey" PRIMARY KEY ("merchant_id","id")
);

-- CreateTable
CREATE TABLE "referred_orders" (
    "merchant_id" TEXT NOT NULL,
    "order_id" TEXT NOT NULL,
    "order_date" TIMESTAMPTZ(6) NOT NULL,
    "referral_id" TEXT NOT NULL,
    "program_version" INTEGER NOT NULL,
    "revenue" BIGINT NOT NULL,
    "is_first" BOOLEAN NOT NULL,

    CONSTRAINT "referred_orders_pkey" PRIMARY KEY ("merchant_id","order_id")
);

-- CreateTable
CREATE TABLE "reward_corrections" (
    "merchant_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "order_id" TEXT NOT NULL,
    "reward_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "request" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "corrected_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "reward_corrections_pkey" PRIMARY KEY ("merchant_id","key")
);

-- CreateTable
-- By time, so that old rows are dropped with their partition: deleting them would leave as many dead rows. Prisma
-- knows no partitions: this clause belongs to the table of schema.prisma.
CREATE TABLE "events" (
    "merchant_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "reward_id" TEXT,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
    "sequence" BIGSERIAL NOT NULL,
    "expires_at" TIMESTAMPTZ(6),
    "position" BIGINT,
    "feed_fingerprint" BIGINT,
    "erased_at" TIMESTAMPTZ(6),
    "sample" BOOLEAN NOT NULL DEFAULT false,
    "request_id" TEXT,
    "traceparent" TEXT,

    CONSTRAINT "events_pkey" PRIMARY KEY ("merchant_id","id","created_at")
) PARTITION BY RANGE (created_at);

-- CreateTable
CREATE TABLE "deliveries" (
    "id" UUID NOT NULL,
    "merchant_id" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "event_created_at" TIMESTAMPTZ(6) NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "replay_id" TEXT NOT NULL DEFAULT '',
    "state" TEXT NOT NULL DEFAULT 'pending',
    "attempts_made" INTEGER NOT NULL DEFAULT 0,
    "schedule_step" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(6) DEFAULT clock_timestamp(),
    "leased_until" TIMESTAMPTZ(6),
    "retry_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
    "finished_at" TIMESTAMPTZ(6),
    "last_attempt_at" TIMESTAMPTZ(6),
    "last_status" INTEGER,
    "last_error_class" TEXT,
    "promised" BOOLEAN NOT NULL DEFAULT false,
    "test" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id","merchant_id")
);

-- CreateTable
-- By time, so that old rows are dropped with their partition: deleting them would leave as many dead rows. Prisma
-- knows no partitions: this clause belongs to the table of schema.prisma.
CREATE TABLE "attempts" (
    "delivery_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "merchant_id" TEXT NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(6) NOT NULL,
    "url" TEXT NOT NULL,
    "status" INTEGER,
    "error_class" TEXT,
    "error_message" TEXT,
    "timings" JSONB NOT NULL,
    "response_body" TEXT,
    "request_headers" JSON,
    "response_headers" JSON,
    "warning" TEXT,
    "retried_on_new_connection" BOOLEAN NOT NULL DEFAULT false,
    "ignored" BOOLEAN NOT NULL DEFAULT false,
    "test" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "attempts_pkey" PRIMARY KEY ("delivery_id","number","started_at","merchant_id")
) PARTITION BY RANGE (started_at);

-- CreateTable
CREATE TABLE "attempt_counts" (
    "merchant_id" TEXT NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "starts_at" TIMESTAMPTZ(6) NOT NULL,
    "outcome" TEXT NOT NULL,
    "within_ms" INTEGER NOT NULL,
    "total" INTEGER NOT NULL,

    CONSTRAINT "attempt_counts_pkey" PRIMARY KEY ("merchant_id","endpoint_id","starts_at","outcome","within_ms")
);

-- CreateTable
CREATE TABLE "attempt_progress" (
    "one" BOOLEAN NOT NULL DEFAULT true,
    "counted_until" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
    "recounted_until" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "attempt_progress_pkey" PRIMARY KEY ("one")
);

-- CreateTable
CREATE TABLE "replays" (
    "merchant_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "endpoint_id" TEXT,
    "states" TEXT[],
    "answers" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "from_time" TIMESTAMPTZ(6) NOT NULL,
    "until_time" TIMESTAMPTZ(6) NOT NULL,
    "new_ids" BOOLEAN NOT NULL,
    "per_minute" INTEGER NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'running',
    "total" INTEGER NOT NULL,
    "total_complete" BOOLEAN NOT NULL DEFAULT true,
    "done" INTEGER NOT NULL DEFAULT 0,
    "cursor_time" TIMESTAMPTZ(6),
    "cursor_id" UUID,
    "next_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
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
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    "mailed_at" TIMESTAMPTZ(6),
    "mail_attempts" INTEGER NOT NULL DEFAULT 0,
    "mail_next_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),

    CONSTRAINT "notices_pkey" PRIMARY KEY ("merchant_id","id")
);

-- CreateTable
CREATE TABLE "open_promises" (
    "merchant_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "subject" TEXT NOT NULL DEFAULT '',
    "holder" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "oldest_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "open_promises_pkey" PRIMARY KEY ("merchant_id","kind","subject","holder")
);

-- CreateTable
CREATE TABLE "promise_counts" (
    "one" BOOLEAN NOT NULL DEFAULT true,
    "counted_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "promise_counts_pkey" PRIMARY KEY ("one")
);

-- CreateTable
CREATE TABLE "problems" (
    "merchant_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "subject" TEXT NOT NULL DEFAULT '',
    "opened_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
    "last_seen_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
    "openings" INTEGER NOT NULL DEFAULT 1,
    "number" INTEGER NOT NULL,
    "failures" INTEGER,
    "oldest_at" TIMESTAMPTZ(6),
    "last_error" TEXT,
    "resolved_at" TIMESTAMPTZ(6),
    "acknowledged_until" TIMESTAMPTZ(6),
    "notify_at" TIMESTAMPTZ(6),
    "notify_attempts" INTEGER NOT NULL DEFAULT 0,
    "notified_at" TIMESTAMPTZ(6),
    "mailed_at" TIMESTAMPTZ(6),
    "mailed_to" TEXT,

    CONSTRAINT "problems_pkey" PRIMARY KEY ("merchant_id","id")
);

-- CreateTable
CREATE TABLE "write_probes" (
    "id" SMALLINT NOT NULL,
    "probed_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),

    CONSTRAINT "write_probes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "users" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "memberships" (
    "merchant_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),

    CONSTRAINT "memberships_pkey" PRIMARY KEY ("merchant_id","user_id")
);

-- CreateTable
CREATE TABLE "sessions" (
    "id_sha256" BYTEA NOT NULL,
    "user_id" TEXT NOT NULL,
    "merchant_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    "last_seen_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "user_agent" TEXT NOT NULL DEFAULT '',
    "password_at" TIMESTAMPTZ(6),

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id_sha256")
);

-- CreateTable
CREATE TABLE "password_resets" (
    "user_id" TEXT NOT NULL,
    "token_sha256" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "password_resets_pkey" PRIMARY KEY ("user_id")
);

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
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),

    CONSTRAINT "account_mails_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "invitations" (
    "merchant_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "token_sha256" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "accepted_at" TIMESTAMPTZ(6),
    "revoked_at" TIMESTAMPTZ(6),

    CONSTRAINT "invitations_pkey" PRIMARY KEY ("merchant_id","id")
);

-- CreateTable
CREATE TABLE "audit_entries" (
    "id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
    "merchant_id" TEXT,
    "actor_kind" TEXT NOT NULL,
    "actor_id" TEXT,
    "actor_name" TEXT,
    "action" TEXT NOT NULL,
    "outcome" TEXT NOT NULL DEFAULT 'done',
    "subject_kind" TEXT NOT NULL,
    "subject_id" TEXT,
    "address" TEXT,
    "request_id" TEXT,
    "details" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "prunings" (
    "table_name" TEXT NOT NULL,
    "pruned_until" TIMESTAMPTZ(6) NOT NULL,
    "finished_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "prunings_pkey" PRIMARY KEY ("table_name")
);

-- CreateIndex
CREATE UNIQUE INDEX "merchants_live_merchant_id_key" ON "merchants"("live_merchant_id");

-- CreateIndex
CREATE INDEX "wipes_live_merchant_id_idx" ON "wipes"("live_merchant_id");

-- CreateIndex
CREATE INDEX "wipes_pending_idx" ON "wipes"("requested_at") WHERE (finished_at IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_sha256_key" ON "api_keys"("sha256");

-- CreateIndex
CREATE INDEX "api_keys_merchant_id_idx" ON "api_keys"("merchant_id");

-- CreateIndex
CREATE INDEX "signing_keys_merchant_id_idx" ON "signing_keys"("merchant_id");

-- CreateIndex
CREATE INDEX "former_identity_secrets_merchant_id_idx" ON "former_identity_secrets"("merchant_id");

-- CreateIndex
CREATE INDEX "endpoints_url_idx" ON "endpoints" USING HASH ("url");

-- CreateIndex
CREATE INDEX "members_merchant_id_look_alike_idx" ON "members"("merchant_id", "look_alike");

-- CreateIndex
CREATE UNIQUE INDEX "members_code_key" ON "members"("code");

-- CreateIndex
CREATE INDEX "member_aliases_merchant_id_member_id_idx" ON "member_aliases"("merchant_id", "member_id");

-- CreateIndex
CREATE INDEX "member_aliases_not_moved_idx" ON "member_aliases"("merged_at") WHERE (orders_moved_at IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "member_aliases_merchant_id_id_key" ON "member_aliases"("merchant_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "member_aliases_merchant_id_key_key" ON "member_aliases"("merchant_id", "key");

-- CreateIndex
CREATE INDEX "clicks_merchant_id_code_clicked_at_idx" ON "clicks"("merchant_id", "code", "clicked_at");

-- CreateIndex
CREATE INDEX "clicks_clicked_at_idx" ON "clicks" USING BRIN ("clicked_at");

-- CreateIndex
CREATE INDEX "click_counts_starts_at_idx" ON "click_counts" USING BRIN ("starts_at");

-- CreateIndex
CREATE INDEX "requests_merchant_id_at_id_idx" ON "requests"("merchant_id", "at", "id");

-- CreateIndex
CREATE INDEX "requests_merchant_id_code_at_id_idx" ON "requests"("merchant_id", "code", "at", "id");

-- CreateIndex
CREATE INDEX "requests_merchant_id_request_id_at_id_idx" ON "requests"("merchant_id", "request_id", "at", "id");

-- CreateIndex
CREATE INDEX "request_counts_starts_at_idx" ON "request_counts" USING BRIN ("starts_at");

-- CreateIndex
CREATE INDEX "referrals_not_enqueued_idx" ON "referrals"("linked_at") WHERE (orders_enqueued_at IS NULL);

-- CreateIndex
CREATE INDEX "referrals_merchant_id_referrer_member_id_idx" ON "referrals"("merchant_id", "referrer_member_id");

-- CreateIndex
CREATE INDEX "referrals_linked_idx" ON "referrals"("merchant_id", "linked_at", "ended", "review", "had_order_before");

-- CreateIndex
CREATE INDEX "referrals_needs_review_idx" ON "referrals"("merchant_id", "linked_at") WHERE (review = 'pending');

-- CreateIndex
CREATE UNIQUE INDEX "referrals_merchant_id_referee_member_id_key" ON "referrals"("merchant_id", "referee_member_id");

-- CreateIndex
CREATE INDEX "waiting_links_merchant_id_referrer_member_id_idx" ON "waiting_links"("merchant_id", "referrer_member_id");

-- CreateIndex
CREATE UNIQUE INDEX "referral_moves_merchant_id_key_key" ON "referral_moves"("merchant_id", "key");

-- CreateIndex
CREATE INDEX "orders_merchant_id_member_id_idx" ON "orders"("merchant_id", "member_id");

-- CreateIndex
CREATE INDEX "orders_merchant_id_created_at_idx" ON "orders"("merchant_id", "created_at");

-- CreateIndex
CREATE INDEX "orders_paid_idx" ON "orders"("merchant_id", "member_id", "order_date") WHERE (paid_at IS NOT NULL AND counts_as_paid_at IS NULL AND cancelled_at IS NULL AND returned_at IS NULL AND (items = '[]'::jsonb OR items @? '$[*] ? (!exists(@.cancelled_at ? (@ != null)))'::jsonpath));

-- CreateIndex
CREATE INDEX "orders_first_idx" ON "orders"("merchant_id", "member_id") WHERE (first_order);

-- CreateIndex
CREATE INDEX "orders_paid_later_idx" ON "orders"("counts_as_paid_at") WHERE (counts_as_paid_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "due_batches_due_since_idx" ON "due_batches"("due_since");

-- CreateIndex
CREATE INDEX "due_batches_failing_idx" ON "due_batches"("due_since") WHERE (failures > 0);

-- CreateIndex
CREATE INDEX "decisions_merchant_id_created_at_idx" ON "decisions"("merchant_id", "created_at");

-- CreateIndex
CREATE INDEX "decisions_merchant_id_member_id_idx" ON "decisions"("merchant_id", "member_id");

-- CreateIndex
CREATE INDEX "decisions_superseding_idx" ON "decisions"("created_at") WHERE (number > 1);

-- CreateIndex
CREATE INDEX "rewards_merchant_id_referral_id_idx" ON "rewards"("merchant_id", "referral_id");

-- CreateIndex
CREATE INDEX "rewards_merchant_id_order_id_idx" ON "rewards"("merchant_id", "order_id");

-- CreateIndex
CREATE INDEX "rewards_merchant_id_member_id_idx" ON "rewards"("merchant_id", "member_id");

-- CreateIndex
CREATE INDEX "rewards_of_referral_idx" ON "rewards"("merchant_id", "subject") WHERE (starts_with(subject, 'referral:'));

-- CreateIndex
CREATE INDEX "rewards_of_referrer_idx" ON "rewards"("merchant_id", "member_id", "month") WHERE (role = 'referrer' AND state IN ('pending', 'confirmed'));

-- CreateIndex
CREATE INDEX "rewards_merchant_id_created_at_idx" ON "rewards"("merchant_id", "created_at");

-- CreateIndex
CREATE INDEX "rewards_unconfirmed_idx" ON "rewards"("merchant_id", "created_at") WHERE (state <> 'confirmed');

-- CreateIndex
CREATE INDEX "rewards_confirmed_idx" ON "rewards"("merchant_id", "confirmed_at", "type", "unit", "amount", "program_version") WHERE (confirmed_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "rewards_revoked_idx" ON "rewards"("merchant_id", "ended_at", "type", "unit", "amount", "program_version") WHERE (state = 'revoked');

-- CreateIndex
CREATE INDEX "rewards_no_webhook_registered_idx" ON "rewards"("merchant_id", "confirmed_at") WHERE (no_webhook_registered AND state = 'confirmed');

-- CreateIndex
CREATE INDEX "rewards_hold_idx" ON "rewards"("confirm_due_at") WHERE (state = 'pending' AND NOT hold_enqueued);

-- CreateIndex
CREATE UNIQUE INDEX "rewards_live_key" ON "rewards"("merchant_id", "program_id", "subject", "role") WHERE (state in ('pending', 'confirmed'));

-- CreateIndex
CREATE UNIQUE INDEX "rewards_live_order_key" ON "rewards"("merchant_id", "order_id", "role") WHERE (state in ('pending', 'confirmed') and rule is not null);

-- CreateIndex
CREATE INDEX "referred_orders_merchant_id_referral_id_order_date_order_id_idx" ON "referred_orders"("merchant_id", "referral_id", "order_date", "order_id");

-- CreateIndex
CREATE INDEX "referred_orders_by_date_idx" ON "referred_orders"("merchant_id", "order_date", "is_first", "program_version", "revenue");

-- CreateIndex
CREATE INDEX "reward_corrections_merchant_id_order_id_idx" ON "reward_corrections"("merchant_id", "order_id");

-- CreateIndex
CREATE INDEX "events_merchant_id_position_idx" ON "events"("merchant_id", "position");

-- CreateIndex
CREATE INDEX "events_merchant_id_reward_id_idx" ON "events"("merchant_id", "reward_id");

-- CreateIndex
CREATE INDEX "events_without_position_idx" ON "events"("merchant_id", "sequence") WHERE (position IS NULL);

-- CreateIndex
CREATE INDEX "events_created_at_idx" ON "events" USING BRIN ("created_at");

-- CreateIndex
CREATE INDEX "deliveries_merchant_id_endpoint_id_created_at_idx" ON "deliveries"("merchant_id", "endpoint_id", "created_at");

-- CreateIndex
CREATE INDEX "deliveries_due_idx" ON "deliveries"("endpoint_id", "next_attempt_at") WHERE (state = 'pending');

-- CreateIndex
CREATE INDEX "deliveries_retry_idx" ON "deliveries"("endpoint_id", "retry_at") WHERE (state = 'pending' AND retry_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "deliveries_held_idx" ON "deliveries"("endpoint_id") WHERE (state = 'held');

-- CreateIndex
CREATE INDEX "deliveries_open_idx" ON "deliveries"("endpoint_id", "state", "promised", "created_at") WHERE (state IN ('pending', 'held', 'exhausted'));

-- CreateIndex
CREATE INDEX "deliveries_undelivered_idx" ON "deliveries"("merchant_id", "created_at") WHERE (state IN ('held', 'exhausted', 'cancelled'));

-- CreateIndex
CREATE INDEX "deliveries_of_replays_idx" ON "deliveries"("event_created_at") WHERE (replay_id <> '');

-- CreateIndex
CREATE INDEX "deliveries_merchant_id_created_at_idx" ON "deliveries"("merchant_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "deliveries_merchant_id_event_id_endpoint_id_replay_id_key" ON "deliveries"("merchant_id", "event_id", "endpoint_id", "replay_id");

-- CreateIndex
CREATE INDEX "attempts_merchant_id_started_at_idx" ON "attempts"("merchant_id", "started_at");

-- CreateIndex
CREATE INDEX "attempt_counts_starts_at_idx" ON "attempt_counts" USING BRIN ("starts_at");

-- CreateIndex
CREATE INDEX "replays_running_idx" ON "replays"("next_at") WHERE (state = 'running');

-- CreateIndex
CREATE INDEX "notices_unmailed_idx" ON "notices"("mail_next_at") WHERE (mailed_at IS NULL);

-- CreateIndex
CREATE INDEX "notices_merchant_id_created_at_idx" ON "notices"("merchant_id", "created_at");

-- CreateIndex
CREATE INDEX "problems_merchant_id_opened_at_idx" ON "problems"("merchant_id", "opened_at");

-- CreateIndex
CREATE INDEX "problems_to_notify_idx" ON "problems"("notify_at") WHERE (notify_at IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "problems_open_key" ON "problems"("merchant_id", "kind", "subject") WHERE (resolved_at IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE INDEX "memberships_user_id_idx" ON "memberships"("user_id");

-- CreateIndex
CREATE INDEX "sessions_user_id_idx" ON "sessions"("user_id");

-- CreateIndex
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "password_resets_token_sha256_key" ON "password_resets"("token_sha256");

-- CreateIndex
CREATE INDEX "sign_ups_expires_at_idx" ON "sign_ups"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "contact_confirmations_token_sha256_key" ON "contact_confirmations"("token_sha256");

-- CreateIndex
CREATE INDEX "account_mails_next_at_idx" ON "account_mails"("next_at");

-- CreateIndex
CREATE UNIQUE INDEX "invitations_token_sha256_key" ON "invitations"("token_sha256");

-- CreateIndex
CREATE INDEX "audit_entries_merchant_id_at_id_idx" ON "audit_entries"("merchant_id", "at", "id");

-- CreateIndex
CREATE INDEX "audit_entries_at_id_idx" ON "audit_entries"("at", "id");

-- AddForeignKey
ALTER TABLE "merchants" ADD CONSTRAINT "merchants_live_merchant_id_fkey" FOREIGN KEY ("live_merchant_id") REFERENCES "merchants"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "wipes" ADD CONSTRAINT "wipes_live_merchant_id_fkey" FOREIGN KEY ("live_merchant_id") REFERENCES "merchants"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_merchant_id_fkey" FOREIGN KEY ("merchant_id") REFERENCES "merchants"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "signing_keys" ADD CONSTRAINT "signing_keys_merchant_id_fkey" FOREIGN KEY ("merchant_id") REFERENCES "merchants"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "former_identity_secrets" ADD CONSTRAINT "former_identity_secrets_merchant_id_fkey" FOREIGN KEY ("merchant_id") REFERENCES "merchants"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "endpoints" ADD CONSTRAINT "endpoints_merchant_id_fkey" FOREIGN KEY ("merchant_id") REFERENCES "merchants"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "verified_origins" ADD CONSTRAINT "verified_origins_merchant_id_fkey" FOREIGN KEY ("merchant_id") REFERENCES "merchants"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "programs" ADD CONSTRAINT "programs_merchant_id_fkey" FOREIGN KEY ("merchant_id") REFERENCES "merchants"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "program_versions" ADD CONSTRAINT "program_versions_merchant_id_fkey" FOREIGN KEY ("merchant_id") REFERENCES "programs"("merchant_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "program_drafts" ADD CONSTRAINT "program_drafts_merchant_id_fkey" FOREIGN KEY ("merchant_id") REFERENCES "programs"("merchant_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_merchant_id_fkey" FOREIGN KEY ("merchant_id") REFERENCES "merchants"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "password_resets" ADD CONSTRAINT "password_resets_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_confirmations" ADD CONSTRAINT "contact_confirmations_merchant_id_fkey" FOREIGN KEY ("merchant_id") REFERENCES "merchants"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_merchant_id_fkey" FOREIGN KEY ("merchant_id") REFERENCES "merchants"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- prisma/sql/views/partitions.sql
-- The time partitions of large tables: their names, and the range of time of each. Ranges start and end at midnight
-- in UTC. Rows outside of all ranges are in the default partition. In the database, because rules.drop_partition
-- decides by it what may be dropped.
CREATE OR REPLACE VIEW rules.partitions AS
SELECT parent, name, bounds[1]::timestamptz AS since, bounds[2]::timestamptz AS until
FROM (
  SELECT p.relname AS parent, c.relname AS name,
    regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \(''([^'']+)''\) TO \(''([^'']+)''\)') AS bounds
  FROM pg_inherits i
  JOIN pg_class c ON c.oid = i.inhrelid
  JOIN pg_class p ON p.oid = i.inhparent
  WHERE p.relnamespace = 'public'::regnamespace AND p.relkind = 'p' AND c.relkind = 'r'
) children
WHERE bounds IS NOT NULL;

-- prisma/sql/functions/add_partition.sql
-- Adds a partition for the days from `since`, inclusive, until `until`, exclusive. Rows of these days that are in the
-- default partition are moved, at most 10,000 of them: those are from a clock that is ahead. With more rows it fails
-- with check_violation: no partition was added for days.
-- In the database, because it runs with the rights of the owner: with it and drop_partition the role of the
-- application, which owns no table, can add and drop partitions of these tables, and nothing else.
CREATE OR REPLACE FUNCTION rules.add_partition(parent text, since date, until date)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
  name text := parent || '_p' || to_char(since, 'YYYYMMDD');
  other text := parent || '_default';
  key text := CASE parent
    WHEN 'attempts' THEN 'started_at' WHEN 'clicks' THEN 'clicked_at' WHEN 'requests' THEN 'at' ELSE 'created_at' END;
BEGIN
  IF parent NOT IN ('attempts', 'clicks', 'events', 'requests') OR until <= since OR until - since > 31 THEN
    RAISE EXCEPTION '% has no partition from % until %', parent, since, until;
  END IF;
  -- Attached after it was created: this blocks neither reading nor writing the table.
  EXECUTE format('CREATE TABLE public.%I (LIKE public.%I INCLUDING ALL)', name, parent);
  EXECUTE format('LOCK TABLE public.%I IN SHARE ROW EXCLUSIVE MODE', other);
  EXECUTE format(
    'WITH moved AS (
       DELETE FROM public.%1$I WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM public.%1$I WHERE %2$I >= %3$L AND %2$I < %4$L LIMIT 10000))
       RETURNING *
     )
     INSERT INTO public.%5$I SELECT * FROM moved',
    other, key, since::timestamptz, until::timestamptz, name);
  EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)',
    parent, name, since::timestamptz, until::timestamptz);
END
$$;

REVOKE EXECUTE ON FUNCTION rules.add_partition(text, date, date) FROM PUBLIC;

-- prisma/sql/functions/audit_is_append_only.sql
-- Refuses every change and every deletion of the audit, except that of entries older than 30 days by
-- rules.prune_audit_entries. In the database, so that nobody with the role of the application can change the audit.
-- The owner of the table could disable the trigger. The role of the application cannot, and has no right to delete.
CREATE OR REPLACE FUNCTION rules.audit_is_append_only()
RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('rewardhook.prunes_audit', true) = 'on' THEN
    IF OLD.at < now() - interval '30 days' THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'audit_entries is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;

-- prisma/sql/functions/counts_as_paid.sql
-- Whether an order counts as paid: `countsAsPaid` of @rewardhook/rewards. In the database, because the statements that look for the
-- earliest paid order ask it in orders_paid_idx. That index has the condition written out, because PostgreSQL does not build an
-- index again when a function changes. Neither strict nor with settings, so that the planner replaces a call by the condition.
CREATE OR REPLACE FUNCTION rules.counts_as_paid(paid_at timestamptz, counts_as_paid_at timestamptz, cancelled_at timestamptz,
  returned_at timestamptz, items jsonb)
RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT paid_at IS NOT NULL AND counts_as_paid_at IS NULL AND cancelled_at IS NULL AND returned_at IS NULL
    AND (items = '[]' OR items @? '$[*] ? (!exists(@.cancelled_at ? (@ != null)))')
$$;

-- prisma/sql/functions/delivery_id.sql
-- The id of the delivery of an event to an endpoint, for a replay or with '' for the first one. It is the same when
-- the delivery is inserted again after a restore. Its form is that of a random UUID (version 4), as receivers know
-- it. In the database, because deliveries are inserted there for all endpoints of an event at once.
CREATE OR REPLACE FUNCTION rules.delivery_id(merchant text, event text, endpoint text, replay text)
RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT encode(
    set_byte(
      set_byte(digest, 6, get_byte(digest, 6) & 15 | 64),
      8, get_byte(digest, 8) & 63 | 128),
    'hex')::uuid
  FROM substring(sha256(convert_to(concat_ws(' ', merchant, event, endpoint, replay), 'UTF8')) FOR 16) AS digest
$$;

-- prisma/sql/functions/drop_partition.sql
-- Drops a partition that has no rows of the last day. In the database for the reason of add_partition.
CREATE OR REPLACE FUNCTION rules.drop_partition(partition text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
BEGIN
  IF NOT EXISTS (
    SELECT 1 FROM rules.partitions p
    WHERE p.name = partition AND p.parent IN ('attempts', 'clicks', 'events', 'requests')
      AND p.until <= now() - interval '1 day') THEN
    RAISE EXCEPTION '% is not a partition that can be dropped', partition;
  END IF;
  EXECUTE format('DROP TABLE public.%I', partition);
END
$$;

REVOKE EXECUTE ON FUNCTION rules.drop_partition(text) FROM PUBLIC;

-- prisma/sql/functions/enqueue_orders.sql
-- Enqueues orders for evaluation, in the order of the arrays: at most 100 orders of a merchant in a batch, as an evaluation takes
-- them. `requests` are those that the orders came with, `[{version?, id, traceparent?}]`: a batch gets those that name no
-- version, or one of its orders. In the database, because what finds the orders inserts the batches in the same statement. In
-- plpgsql, which keeps its plan.
CREATE OR REPLACE FUNCTION rules.enqueue_orders(merchants text[], orders text[], members text[], versions bigint[],
  requests jsonb)
RETURNS TABLE(merchant_id text, id uuid, order_ids text[])
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH numbered AS (
    SELECT *, row_number() OVER (PARTITION BY merchant_id ORDER BY position) AS number
    FROM unnest(merchants, orders, members, versions) WITH ORDINALITY AS o (merchant_id, order_id, member_id, version, position)
  ), grouped AS (
    SELECT merchant_id, array_agg(order_id ORDER BY number) AS order_ids, array_agg(member_id ORDER BY number) AS member_ids,
      array_agg(version ORDER BY number) AS order_versions
    FROM numbered GROUP BY merchant_id, (number - 1) / 100
  ), sent AS MATERIALIZED (
    SELECT request, (request ->> 'version')::bigint AS version FROM jsonb_array_elements(requests) AS request
  )
  INSERT INTO due_batches AS b (merchant_id, order_ids, member_ids, order_versions, requests)
  SELECT g.merchant_id, g.order_ids, g.member_ids, g.order_versions, (
    SELECT jsonb_agg(s.request) FROM sent s
    WHERE s.version IS NULL OR s.version IN (SELECT unnest(g.order_versions)))
  FROM grouped g
  RETURNING b.merchant_id, b.id, b.order_ids;
END
$$;

-- prisma/sql/functions/enqueue_stored_orders.sql
-- Enqueues the orders, stored by the same transaction, whose members have a referral, those whose newest decision is for a former
-- member, and known ones of members who were merged: these may have rewards of a referral that has ended. `known` is false for an
-- order that was stored for the first time: it has no decision.
-- In the database as a part of store_orders. A function of its own, because it needs settings of its own: its plan is
-- kept by each connection and made for any parameters and any size of the tables. So a row is found by a form that
-- only the index on its columns can answer (packages/database/src/client/statement.ts), and orders are joined by hashing. It sees what was
-- committed while store_orders waited for locks: a referral, or the decision of an evaluation that had locked the
-- order.
CREATE OR REPLACE FUNCTION rules.enqueue_stored_orders(merchants text[], orders text[], members text[], known boolean[],
  versions bigint[], batches jsonb)
RETURNS TABLE(merchant_id text, id uuid, order_ids text[])
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_sort = off
SET enable_nestloop = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH changed AS MATERIALIZED (
    SELECT * FROM unnest(merchants, orders, members, known, versions)
      AS c (merchant_id, order_id, member_id, known, version)
  ), due AS (
    SELECT c.merchant_id, c.order_id, c.member_id, c.version
    FROM (SELECT DISTINCT merchant_id, member_id FROM changed) m
    CROSS JOIN LATERAL (
      SELECT 1 FROM referrals r
      WHERE r.merchant_id = m.merchant_id AND r.referee_member_id >= m.member_id AND r.referee_member_id <= m.member_id
      ORDER BY r.referee_member_id OFFSET 0) linked
    JOIN changed c ON c.merchant_id = m.merchant_id AND c.member_id = m.member_id
    UNION
    SELECT c.merchant_id, c.order_id, c.member_id, c.version
    FROM changed c
    CROSS JOIN LATERAL (
      SELECT d.member_id FROM decisions d
      WHERE d.merchant_id = c.merchant_id AND d.order_id >= c.order_id AND d.order_id <= c.order_id
      ORDER BY d.order_id DESC, d.number DESC LIMIT 1) decided
    WHERE c.known AND decided.member_id <> c.member_id
    UNION
    SELECT c.merchant_id, c.order_id, c.member_id, c.version
    FROM (SELECT DISTINCT merchant_id, member_id FROM changed WHERE known) m
    CROSS JOIN LATERAL (
      SELECT 1 FROM member_aliases a
      WHERE a.merchant_id = m.merchant_id AND a.member_id >= m.member_id AND a.member_id <= m.member_id
      ORDER BY a.member_id OFFSET 0) merged
    JOIN changed c ON c.merchant_id = m.merchant_id AND c.member_id = m.member_id AND c.known
  ), requests AS (
    SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
      'version', batch.version, 'id', batch."requestId", 'traceparent', batch.traceparent))) AS requests
    FROM jsonb_to_recordset(batches) AS batch (version bigint, "requestId" text, traceparent text)
    WHERE batch."requestId" IS NOT NULL
  )
  SELECT b.merchant_id, b.id, b.order_ids
  FROM (
    SELECT array_agg(merchant_id) AS merchants, array_agg(order_id) AS orders, array_agg(member_id) AS members,
      array_agg(version) AS versions
    FROM (SELECT * FROM due ORDER BY order_id) sorted
  ) d
  CROSS JOIN requests r
  CROSS JOIN LATERAL rules.enqueue_orders(d.merchants, d.orders, d.members, d.versions, r.requests) b;
END
$$;

-- prisma/sql/functions/event_fingerprint.sql
-- The share of one event in the fingerprint of its feed. In the database, because positions are assigned there for
-- many events at once.
CREATE OR REPLACE FUNCTION rules.event_fingerprint(event text, feed_position bigint)
RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT ('x' || encode(substring(sha256(convert_to(event || ' ' || feed_position, 'UTF8')) FOR 8), 'hex'))::bit(64)::bigint
$$;

-- prisma/sql/functions/iso_utc.sql
-- ISO 8601 in UTC with microseconds: the form of every timestamp in the body of an event. In the database, because
-- bodies contain times that only its clock knows, and a date of JavaScript has no microseconds.
CREATE OR REPLACE FUNCTION rules.iso_utc(at timestamptz)
RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;

-- prisma/sql/functions/known_zone.sql
-- The name of a time zone, or UTC if PostgreSQL does not know it. Zones are validated when they are set, but
-- PostgreSQL may know fewer than Node, and a later version fewer than this one. In the database, because only it
-- knows which zones it has.
CREATE OR REPLACE FUNCTION rules.known_zone(name text)
RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM now() AT TIME ZONE name;
  RETURN name;
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN 'UTC';
END
$$;

-- prisma/sql/functions/live_merchant.sql
-- The merchant that users and roles belong to: that of both sides. In the database, because it is the one place that
-- resolves it, for every statement.
CREATE OR REPLACE FUNCTION rules.live_merchant(merchant text)
RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT m.live_merchant_id FROM public.merchants m WHERE m.id = merchant), merchant)
$$;

-- prisma/sql/functions/prune_audit_entries.sql
-- Deletes the oldest entries from before a time, at most `most` of them, and returns how many. In the database,
-- because it runs with the rights of the owner: the role of the application prunes by it, and has no right to delete
-- otherwise.
-- pg_temp is searched first unless it is named: the role of the application could create a temporary table with the
-- name of the audit, whose trigger would run with the rights of the owner.
CREATE OR REPLACE FUNCTION rules.prune_audit_entries(before timestamptz, most integer)
RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  pruned integer;
BEGIN
  PERFORM set_config('rewardhook.prunes_audit', 'on', true);
  DELETE FROM audit_entries WHERE id IN (
    SELECT id FROM audit_entries
    WHERE at < least(before, now() - interval '30 days') ORDER BY at, id LIMIT most);
  GET DIAGNOSTICS pruned = ROW_COUNT;
  PERFORM set_config('rewardhook.prunes_audit', 'off', true);
  RETURN pruned;
END
$$;

-- prisma/sql/functions/resolve_aliases.sql
-- Moves those of these orders whose member is an alias to the member that it stands for, and returns the members of all of them,
-- in the same order. In the database as a part of store_orders, and a function of its own because its plan needs settings of its
-- own, as that of enqueue_stored_orders. The alias is locked, because an erasure forgets it: either the erasure finds the order under
-- the member, or the order has a new member.
CREATE OR REPLACE FUNCTION rules.resolve_aliases(merchants text[], orders text[], members text[])
RETURNS text[]
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_sort = off
SET enable_nestloop = off AS $$
#variable_conflict use_column
DECLARE
  resolved text[];
BEGIN
  WITH stored AS MATERIALIZED (
    SELECT * FROM unnest(merchants, orders, members) WITH ORDINALITY
      AS s (merchant_id, order_id, member_id, number)
  ), aliases AS MATERIALIZED (
    SELECT m.merchant_id, m.member_id AS alias_id, a.member_id
    FROM (SELECT DISTINCT merchant_id, member_id FROM stored) m
    CROSS JOIN LATERAL (
      SELECT * FROM member_aliases
      WHERE merchant_id = m.merchant_id AND alias_id >= m.member_id AND alias_id <= m.member_id
      ORDER BY alias_id OFFSET 0 FOR KEY SHARE) a
  ), found AS MATERIALIZED (
    SELECT s.number, s.merchant_id, s.order_id, a.alias_id, a.member_id
    FROM aliases a JOIN stored s ON s.merchant_id = a.merchant_id AND s.member_id = a.alias_id
  ), moved AS (
    UPDATE orders o SET member_id = f.member_id, sent_member_id = f.alias_id
    FROM (
      SELECT found.*, stored_order.row FROM found
      CROSS JOIN LATERAL (
        SELECT ctid AS row FROM orders
        WHERE merchant_id = found.merchant_id AND order_id >= found.order_id AND order_id <= found.order_id
        ORDER BY order_id OFFSET 0) stored_order) f
    WHERE o.ctid = f.row
  )
  SELECT array_agg(coalesce(f.member_id, s.member_id) ORDER BY s.number)
  INTO resolved FROM stored s LEFT JOIN found f ON f.number = s.number;
  RETURN resolved;
END
$$;

-- prisma/sql/functions/rewards_move.sql
-- Allows only the transitions of the state of a reward. What was given, and to whom, never changes, except that the amount of
-- a pending reward follows its order, that the erasure of a member replaces their id, and that a merge gives it to the member
-- that an alias stands for: the id that the merchant was notified of stays. In the database, so that no statement and no person can
-- change what a member is due.
CREATE OR REPLACE FUNCTION rules.rewards_move()
RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state <> NEW.state AND (OLD.state, NEW.state) NOT IN (
    ('pending', 'confirmed'), ('pending', 'cancelled'), ('confirmed', 'revoked')) THEN
    RAISE EXCEPTION 'a reward cannot move from % to %', OLD.state, NEW.state USING ERRCODE = 'check_violation';
  END IF;
  IF (OLD.subject, OLD.role, OLD.order_id, OLD.rule, OLD.type, OLD.unit)
     IS DISTINCT FROM (NEW.subject, NEW.role, NEW.order_id, NEW.rule, NEW.type, NEW.unit)
     OR ((OLD.amount, OLD.month) IS DISTINCT FROM (NEW.amount, NEW.month)
       AND (OLD.state, NEW.state) <> ('pending', 'pending'))
     OR (OLD.member_id <> NEW.member_id AND (OLD.state <> NEW.state OR NEW.member_id NOT LIKE 'erased-%' AND NOT EXISTS (
       SELECT 1 FROM member_aliases a
       WHERE a.merchant_id = NEW.merchant_id AND a.alias_id = OLD.member_id AND a.member_id = NEW.member_id)))
     OR (OLD.confirmed_at IS NOT NULL
       AND coalesce(OLD.issued_member_id, OLD.member_id) <> coalesce(NEW.issued_member_id, NEW.member_id)
       AND coalesce(NEW.issued_member_id, NEW.member_id) NOT LIKE 'erased-%') THEN
    RAISE EXCEPTION 'the data of a reward cannot be changed' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END
$$;

-- prisma/sql/functions/sealed_by.sql
-- The id of the key that a secret was sealed with; null for what is not sealed. In the database, because the indexes on
-- it answer at the start of every process which keys the stored secrets need.
CREATE OR REPLACE FUNCTION rules.sealed_by(sealed text)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN sealed LIKE 'v1.%' THEN split_part(sealed, '.', 2) END
$$;

-- prisma/sql/functions/store_orders.sql
-- Stores batches of orders, `[{merchantId, version, orders, requestId?, traceparent?}]`, enqueues those that are due
-- for evaluation, and returns the due batches. In the database, because both are one transaction and one round trip.
-- The latest state wins regardless of the order in which batches are stored, and storing a batch twice changes
-- nothing: the one with the greatest (sent_at, version). The time of a state is the merchant's updated_at, or that of its
-- acceptance (the version) if it is earlier. A state with a higher version than the stored one was sent later and has an
-- older updated_at: it is dropped, and its version is kept with the order. The dropped orders of a merchant are
-- returned in a row without an id. An order whose paid_at is more than 5 minutes ahead of the clock counts as paid from 5 minutes
-- before it; a time that has passed when the order is stored is found by the sweeper. Rows are sorted by key, so that concurrent
-- calls lock them in one order. The statement that stores reads no table, so any parameters have the same plan, which each
-- connection keeps. An order with an alias of a merged member is stored under the member, by a statement of its own: it sees
-- a merge that was committed while the first one waited for a row of the merged member.
CREATE OR REPLACE FUNCTION rules.store_orders(batches jsonb)
RETURNS TABLE(merchant_id text, id uuid, order_ids text[])
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  merchants text[];
  orders text[];
  members text[];
  known boolean[];
  versions bigint[];
BEGIN
  WITH changed AS (
    INSERT INTO orders AS stored (merchant_id, order_id, version, member_id, order_amount, paid_amount, shipping_amount,
      order_date, first_order, paid_at, counts_as_paid_at, cancelled_at, returned_at, currency, labels, items, sent_at,
      versions, updated_at)
    SELECT DISTINCT ON (batch."merchantId", sent.order_id)
      batch."merchantId", sent.order_id, batch.version, sent.member_id, sent.order_amount, sent.paid_amount,
      sent.shipping_amount, sent.order_date, coalesce(sent.first_order, false), sent.paid_at,
      CASE WHEN sent.paid_at > clock_timestamp() + interval '5 minutes' THEN sent.paid_at - interval '5 minutes' END,
      sent.cancelled_at, sent.returned_at, sent.currency, sent.labels, coalesce(sent.items, '[]'), state.sent_at, ARRAY[batch.version],
      clock_timestamp()
    FROM jsonb_to_recordset(batches) AS batch ("merchantId" text, version bigint, orders jsonb),
      jsonb_to_recordset(batch.orders) AS sent (order_id text, member_id text, order_amount bigint, paid_amount bigint,
        shipping_amount bigint, order_date timestamptz, first_order boolean, paid_at timestamptz,
        cancelled_at timestamptz, returned_at timestamptz, currency text, labels text[], updated_at timestamptz, items jsonb)
      CROSS JOIN LATERAL (
        SELECT least(batch.version, (extract(epoch FROM sent.updated_at) * 1000000)::bigint)) AS state (sent_at)
    ORDER BY batch."merchantId", sent.order_id, state.sent_at DESC, batch.version DESC
    ON CONFLICT (merchant_id, order_id) DO UPDATE SET
      version = excluded.version, member_id = excluded.member_id, sent_member_id = NULL, order_amount = excluded.order_amount,
      paid_amount = excluded.paid_amount, shipping_amount = excluded.shipping_amount, order_date = excluded.order_date,
      first_order = excluded.first_order, paid_at = excluded.paid_at, counts_as_paid_at = excluded.counts_as_paid_at,
      cancelled_at = excluded.cancelled_at,
      returned_at = excluded.returned_at, currency = excluded.currency, labels = excluded.labels, items = excluded.items,
      sent_at = excluded.sent_at,
      outdated = CASE WHEN stored.version > excluded.version
        THEN (stored.outdated || stored.version)[greatest(1, cardinality(stored.outdated) - 18):]
        ELSE stored.outdated END,
      versions = (stored.versions || excluded.version)[greatest(1, cardinality(stored.versions) - 48):],
      updated_at = greatest(stored.updated_at, excluded.updated_at)
    WHERE (stored.sent_at, stored.version) < (excluded.sent_at, excluded.version)
    RETURNING merchant_id, order_id, member_id, cardinality(stored.versions) > 1 AS known, stored.version
  )
  SELECT array_agg(c.merchant_id), array_agg(c.order_id), array_agg(c.member_id), array_agg(c.known),
    array_agg(c.version)
  INTO merchants, orders, members, known, versions FROM changed c;

  IF EXISTS (SELECT 1 FROM member_aliases WHERE merchant_id = ANY(merchants)) THEN
    members := rules.resolve_aliases(merchants, orders, members);
  END IF;

  -- Only a state with an updated_at can be dropped. The rows are locked by the statement above, also where it stored nothing.
  IF batches @? '$[*].orders[*].updated_at ? (@ != null)' THEN
    RETURN QUERY
    WITH late AS (
      SELECT batch."merchantId" AS merchant_id, sent.order_id,
        array_agg(DISTINCT batch.version ORDER BY batch.version) AS versions
      FROM jsonb_to_recordset(batches) AS batch ("merchantId" text, version bigint, orders jsonb),
        jsonb_to_recordset(batch.orders) AS sent (order_id text, updated_at timestamptz)
      WHERE sent.updated_at IS NOT NULL
      GROUP BY 1, 2
    ), outdated AS (
      UPDATE orders o SET
        outdated = (o.outdated || found.versions)[greatest(1, cardinality(o.outdated || found.versions) - 19):]
      FROM (
        SELECT stored.row, array_agg(late_version ORDER BY late_version) AS versions
        FROM late CROSS JOIN LATERAL (
          SELECT ctid AS row, version, outdated FROM orders
          WHERE merchant_id = late.merchant_id AND order_id >= late.order_id AND order_id <= late.order_id
          ORDER BY order_id OFFSET 0) stored
        CROSS JOIN LATERAL unnest(late.versions) AS late_version
        WHERE late_version > stored.version AND late_version <> ALL (stored.outdated)
        GROUP BY stored.row
      ) found
      WHERE o.ctid = found.row
      RETURNING o.merchant_id, o.order_id
    )
    SELECT d.merchant_id, NULL::uuid, array_agg(d.order_id) FROM outdated d GROUP BY d.merchant_id;
  END IF;

  -- Another statement, with its own snapshot.
  RETURN QUERY SELECT * FROM rules.enqueue_stored_orders(merchants, orders, members, known, versions, batches);
END
$$;

-- prisma/sql/functions/store_orders_below_ceiling.sql
-- Stores batches as store_orders does, provided that the ceiling of versions is at least `highest`, their highest
-- version. Otherwise it stores nothing and returns one row of nulls: the caller raises the ceiling first, in a
-- transaction of its own, so that concurrent batches do not wait for each other. In the database, because the check
-- and the storing are one transaction and one round trip.
CREATE OR REPLACE FUNCTION rules.store_orders_below_ceiling(batches jsonb, highest bigint)
RETURNS TABLE(merchant_id text, id uuid, order_ids text[]) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  IF EXISTS (SELECT 1 FROM version_ceiling WHERE version >= highest) THEN
    RETURN QUERY SELECT * FROM rules.store_orders(batches);
  ELSE
    RETURN QUERY SELECT null::text, null::uuid, null::text[];
  END IF;
END
$$;

-- prisma/sql/functions/was_notified.sql
-- Whether a delivery of an event of this type was created for a reward: the merchant was notified, or will be. The
-- reward keeps the answer longer than the event is kept. In the database, because several statements join it.
CREATE OR REPLACE FUNCTION rules.was_notified(merchant text, reward text, event_type text)
RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce((
    SELECT CASE event_type WHEN 'reward.issue' THEN w.issued_to <> '{}' WHEN 'reward.revoke' THEN w.revoked_to <> '{}' END
    FROM public.rewards w WHERE w.merchant_id = merchant AND w.id = reward), false)
$$;

-- prisma/sql/indexes/attempts.sql
-- Finds the attempts of all merchants in a minute: they are inserted in the order of their times. New pages are summarized at once, because
-- a scan reads all pages that are not.
CREATE INDEX attempts_started_at_idx ON attempts USING brin (started_at) WITH (autosummarize = on);

-- prisma/sql/indexes/deliveries.sql
-- On an expression: finds the deliveries whose last attempt was not answered with 2xx by the class of its status, 0 without a response. It has
-- no row of a delivery that succeeded at once, so it costs these nothing.
CREATE INDEX deliveries_failed_answer_idx ON deliveries (merchant_id, (coalesce(last_status, 0) / 100), created_at, id)
  WHERE last_attempt_at IS NOT NULL AND (last_status IS NULL OR last_status NOT BETWEEN 200 AND 299);

-- prisma/sql/indexes/due_batches.sql
-- On an expression, which Prisma cannot express. An order is parked once, however often its evaluation fails.
CREATE UNIQUE INDEX due_batches_parked_key ON due_batches (merchant_id, (order_ids[1])) WHERE parked_at IS NOT NULL;

-- prisma/sql/indexes/former_identity_secrets.sql
-- On an expression, which Prisma cannot express. Answers which keys the stored secrets need.
CREATE INDEX former_identity_secrets_sealed_by_idx ON former_identity_secrets (rules.sealed_by(secret));

-- prisma/sql/indexes/members.sql
-- As that of orders: finds members by the start of their id in any case.
CREATE INDEX members_merchant_id_member_id_prefix_idx ON members (merchant_id, lower(member_id) text_pattern_ops);

-- prisma/sql/indexes/merchants.sql
-- On an expression, which Prisma cannot express. Answers which keys the stored secrets need.
CREATE INDEX merchants_sealed_by_idx ON merchants (rules.sealed_by(identity_secret));

-- prisma/sql/indexes/orders.sql
-- On an expression, with a class of operators: finds orders by the start of their id in any case, in the order of the id, whatever the
-- collation. Another one of `orders` costs each stored order: see docs/decisions/106-search.md.
CREATE INDEX orders_merchant_id_order_id_prefix_idx ON orders (merchant_id, lower(order_id) text_pattern_ops);

-- prisma/sql/indexes/requests.sql
-- Partial, which Prisma cannot express. Finds the requests with warnings, which few have, in the order of the list.
CREATE INDEX requests_warnings_idx ON requests (merchant_id, at, id) WHERE warnings <> '{}';

-- prisma/sql/indexes/signing_keys.sql
-- On an expression, which Prisma cannot express. Answers which keys the stored secrets need.
CREATE INDEX signing_keys_sealed_by_idx ON signing_keys (rules.sealed_by(secret));

-- prisma/sql/partitions/attempts.sql
-- Rows of days that have no partition.
CREATE TABLE attempts_default PARTITION OF attempts DEFAULT;

-- The partitions from yesterday on for the next days. The pruner adds later ones.
SELECT rules.add_partition('attempts', yesterday + 3 * number, yesterday + 3 * (number + 1))
FROM (SELECT (now() AT TIME ZONE 'UTC')::date - 1 AS yesterday) today, generate_series(0, 3) AS number;

-- prisma/sql/partitions/clicks.sql
-- Rows of days that have no partition.
CREATE TABLE clicks_default PARTITION OF clicks DEFAULT;

-- The partitions from yesterday on for the next days. The pruner adds later ones.
SELECT rules.add_partition('clicks', yesterday + 3 * number, yesterday + 3 * (number + 1))
FROM (SELECT (now() AT TIME ZONE 'UTC')::date - 1 AS yesterday) today, generate_series(0, 3) AS number;

-- prisma/sql/partitions/events.sql
-- Rows of days that have no partition.
CREATE TABLE events_default PARTITION OF events DEFAULT;

-- The partitions from yesterday on for the next days. The pruner adds later ones.
SELECT rules.add_partition('events', yesterday + 9 * number, yesterday + 9 * (number + 1))
FROM (SELECT (now() AT TIME ZONE 'UTC')::date - 1 AS yesterday) today, generate_series(0, 1) AS number;

-- prisma/sql/partitions/requests.sql
-- Rows of days that have no partition.
CREATE TABLE requests_default PARTITION OF requests DEFAULT;

-- The partitions from yesterday on for the next days. The pruner adds later ones.
SELECT rules.add_partition('requests', yesterday + number, yesterday + number + 1)
FROM (SELECT (now() AT TIME ZONE 'UTC')::date - 1 AS yesterday) today, generate_series(0, 8) AS number;

-- prisma/sql/checks/account_mails.sql
-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one.
ALTER TABLE account_mails
  ADD CONSTRAINT account_mails_kind CHECK (kind IN ('sign_up', 'password_reset', 'invitation', 'contact_confirmation'));

-- prisma/sql/checks/api_keys.sql
-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one. A
-- secret key is stored as a hash only, whatever the program does.
ALTER TABLE api_keys
  ADD CONSTRAINT api_keys_kind CHECK (kind IN ('secret', 'public')),
  ADD CONSTRAINT api_keys_public_value CHECK (public_value IS NULL OR kind = 'public');

-- prisma/sql/checks/attempt_progress.sql
-- The table has one row.
ALTER TABLE attempt_progress
  ADD CONSTRAINT attempt_progress_one_row CHECK (one);

-- prisma/sql/checks/audit_entries.sql
-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one.
ALTER TABLE audit_entries
  ADD CONSTRAINT audit_entries_actor_kind CHECK (actor_kind IN ('user', 'api_key', 'operator', 'system', 'unknown')),
  ADD CONSTRAINT audit_entries_outcome CHECK (outcome IN ('done', 'refused'));

-- prisma/sql/checks/click_progress.sql
-- The table has one row.
ALTER TABLE click_progress
  ADD CONSTRAINT click_progress_one_row CHECK (one);

-- prisma/sql/checks/decisions.sql
-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one.
ALTER TABLE decisions
  ADD CONSTRAINT decisions_outcome CHECK (outcome IN ('rewarded', 'confirmed', 'adjusted', 'kept', 'withdrawn', 'no_reward'));

-- prisma/sql/checks/deliveries.sql
-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one.
ALTER TABLE deliveries
  ADD CONSTRAINT deliveries_state CHECK (state IN ('pending', 'held', 'delivered', 'exhausted', 'cancelled'));

-- prisma/sql/checks/endpoints.sql
-- A retry schedule of hours outside of this range would end at once or never.
ALTER TABLE endpoints
  ADD CONSTRAINT endpoints_retry_hours CHECK (retry_hours BETWEEN 1 AND 720);

-- prisma/sql/checks/installation.sql
-- The table has one row.
ALTER TABLE installation
  ADD CONSTRAINT installation_one_row CHECK (one);

-- prisma/sql/checks/invitations.sql
-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one.
ALTER TABLE invitations
  ADD CONSTRAINT invitations_role CHECK (role IN ('owner', 'developer', 'marketer', 'support', 'viewer'));

-- prisma/sql/checks/member_aliases.sql
-- An alias leads to another member, whatever the program does.
ALTER TABLE member_aliases ADD CONSTRAINT member_aliases_never_itself CHECK (alias_id <> member_id);

-- prisma/sql/checks/memberships.sql
-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one.
ALTER TABLE memberships
  ADD CONSTRAINT memberships_role CHECK (role IN ('owner', 'developer', 'marketer', 'support', 'viewer'));

-- prisma/sql/checks/merchants.sql
-- The id alone shows the mode, which cannot change without it. A pause has a reason, and a contact that the merchant is shown.
-- Amounts of rewards are numbers of JavaScript.
ALTER TABLE merchants
  ADD CONSTRAINT merchants_mode CHECK (
    mode IN ('live', 'test')
    AND (mode = 'test') = (live_merchant_id IS NOT NULL)
    AND (mode = 'test') = starts_with(id, 'mer_test_')),
  ADD CONSTRAINT merchants_pause CHECK (
    (coalesce(ingest_paused_at, delivery_paused_at) IS NOT NULL) = (pause_reason IS NOT NULL)
    AND (pause_reason IS NOT NULL) = (pause_contact IS NOT NULL)
    AND (pause_reason IS NULL OR mode = 'live')),
  ADD CONSTRAINT merchants_manual_reward_limit CHECK (manual_reward_limit BETWEEN 1 AND 9007199254740991);

-- prisma/sql/checks/notices.sql
-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one.
ALTER TABLE notices
  ADD CONSTRAINT notices_type CHECK (type IN ('endpoint.failing', 'endpoint.disabling_soon', 'endpoint.disabled'));

-- prisma/sql/checks/open_promises.sql
-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one.
ALTER TABLE open_promises
  ADD CONSTRAINT open_promises_kind CHECK (kind IN ('evaluated', 'delivered')),
  ADD CONSTRAINT open_promises_holder CHECK (holder IN ('waiting', 'parked', 'sending', 'breaker', 'paused', 'operator_paused', 'disabled',
    'exhausted', 'no_webhook', 'acknowledged'));

-- prisma/sql/checks/problems.sql
-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one.
ALTER TABLE problems
  ADD CONSTRAINT problems_kind CHECK (kind IN ('webhook_failing', 'webhook_disabled', 'deliveries_exhausted', 'no_webhook',
    'revocations_not_subscribed', 'requests_refused', 'orders_without_referrer', 'referrals_to_review', 'budget_nearly_used',
    'signing_key_expiring', 'finding')),
  ADD CONSTRAINT problems_mailed_to CHECK (mailed_to IN ('contact', 'owners', 'operator', 'none'));

-- prisma/sql/checks/programs.sql
-- The sum of live rewards: below 0, a reward was subtracted twice.
ALTER TABLE programs
  ADD CONSTRAINT programs_spent CHECK (spent >= 0);

-- prisma/sql/checks/promise_counts.sql
-- The table has one row.
ALTER TABLE promise_counts
  ADD CONSTRAINT promise_counts_one_row CHECK (one);

-- prisma/sql/checks/referral_moves.sql
-- Nobody refers themselves, and what a move replaced is known as a whole or not at all.
ALTER TABLE referral_moves
  ADD CONSTRAINT referral_moves_from CHECK (
    num_nulls(from_referrer_member_id, from_code, from_source, from_linked_at) IN (0, 4)
    AND num_nulls(waiting_referrer_member_id, waiting_code, waiting_linked_at) IN (0, 3)),
  ADD CONSTRAINT referral_moves_source CHECK (from_source IN ('boot', 'link'));

-- prisma/sql/checks/referrals.sql
-- Nobody refers themselves, and a review has its reviewer, whatever the program does.
ALTER TABLE referrals
  ADD CONSTRAINT referrals_never_oneself CHECK (referee_member_id <> referrer_member_id),
  ADD CONSTRAINT referrals_source CHECK (source IN ('boot', 'link')),
  ADD CONSTRAINT referrals_ended CHECK (ended IN ('merged', 'cycle')),
  ADD CONSTRAINT referrals_review CHECK (
    review IN ('none', 'pending', 'accepted', 'rejected')
    AND (review IN ('accepted', 'rejected')) = (reviewed_at IS NOT NULL)
    AND (reviewed_at IS NULL) = (reviewed_by IS NULL));

-- prisma/sql/checks/replays.sql
-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one. A
-- rate of 0 would never end.
ALTER TABLE replays
  ADD CONSTRAINT replays_state CHECK (state IN ('running', 'paused', 'cancelled', 'done')),
  ADD CONSTRAINT replays_per_minute CHECK (per_minute > 0);

-- prisma/sql/checks/reward_corrections.sql
-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one.
ALTER TABLE reward_corrections ADD CONSTRAINT reward_corrections_kind CHECK (kind IN ('grant', 'adjust', 'revoke'));

-- prisma/sql/checks/rewards.sql
-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one. A
-- reward of nothing is none.
ALTER TABLE rewards
  ADD CONSTRAINT rewards_link_source CHECK (link_source IN ('boot', 'link')),
  ADD CONSTRAINT rewards_role CHECK (role IN ('referee', 'referrer')),
  ADD CONSTRAINT rewards_correction CHECK (correction IN ('adjusted', 'revoked')),
  ADD CONSTRAINT rewards_amount CHECK (amount > 0),
  ADD CONSTRAINT rewards_state CHECK (state IN ('pending', 'confirmed', 'revoked', 'cancelled'));

-- prisma/sql/checks/users.sql
-- The unique index compares addresses as they are stored.
ALTER TABLE users
  ADD CONSTRAINT users_email CHECK (email = lower(email));

-- prisma/sql/checks/verified_origins.sql
-- The values that the program knows (states.ts): a typing error in a statement by hand must not store another one.
ALTER TABLE verified_origins
  ADD CONSTRAINT verified_origins_proof CHECK (proof IN ('file', 'operator'));

-- prisma/sql/checks/version_ceiling.sql
-- The table has one row.
ALTER TABLE version_ceiling
  ADD CONSTRAINT version_ceiling_one_row CHECK (id);

-- prisma/sql/checks/waiting_links.sql
-- As for the links in force (referrals.sql).
ALTER TABLE waiting_links
  ADD CONSTRAINT waiting_links_source CHECK (source IN ('boot', 'link')),
  ADD CONSTRAINT waiting_links_review CHECK (
    review IN ('none', 'pending', 'accepted', 'rejected')
    AND (review IN ('accepted', 'rejected')) = (reviewed_at IS NOT NULL)
    AND (reviewed_at IS NULL) = (reviewed_by IS NULL));

-- prisma/sql/checks/wipes.sql
-- The data of a merchant is deleted under an id that it had, never under the one that it has.
ALTER TABLE wipes
  ADD CONSTRAINT wipes_of_former_id CHECK (merchant_id <> live_merchant_id);

-- prisma/sql/storage/decisions.sql
-- The home page of the console counts new rows in an index, which reads the table for rows on pages that no vacuum
-- has marked as visible to all. By default that is a fifth of the table. A vacuum reads only these pages.
ALTER TABLE decisions SET (
  autovacuum_vacuum_insert_scale_factor = 0.02
);

-- prisma/sql/storage/deliveries.sql
-- A claim changes only leased_until, which is in no index: a page keeps room for the new version of the row, so that
-- no index is written (docs/decisions/017). Few dead rows before a vacuum: see also decisions.sql.
ALTER TABLE deliveries SET (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.02
);

-- prisma/sql/storage/due_batches.sql
-- Every row is deleted after a moment: the table is vacuumed by the number of dead rows, not by a share of the few
-- live ones.
ALTER TABLE due_batches SET (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 1000
);

-- Prisma has no generated columns.
ALTER TABLE due_batches
  DROP COLUMN orders,
  ADD COLUMN orders integer NOT NULL GENERATED ALWAYS AS (cardinality(order_ids)) STORED;

-- prisma/sql/storage/endpoints.sql
-- Few rows that change often: a page keeps room for new versions, and is vacuumed by the number of dead rows.
ALTER TABLE endpoints SET (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 1000
);

-- Prisma has no generated columns.
ALTER TABLE endpoints
  DROP COLUMN sendable,
  DROP COLUMN holds_deliveries,
  ADD COLUMN sendable boolean NOT NULL GENERATED ALWAYS AS (
    deleted_at IS NULL AND disabled_at IS NULL AND paused_at IS NULL AND parked_at IS NULL AND operator_paused_at IS NULL) STORED,
  ADD COLUMN holds_deliveries boolean NOT NULL GENERATED ALWAYS AS (disabled_at IS NOT NULL OR paused_at IS NOT NULL) STORED;

-- prisma/sql/storage/orders.sql
-- Orders are sent again when their state changes: a page keeps some room. Vacuumed before a fifth of the table is
-- dead: see also decisions.sql.
ALTER TABLE orders SET (
  fillfactor = 90,
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_insert_scale_factor = 0.02
);

-- prisma/sql/storage/programs.sql
-- The sum of rewards changes with each of them: a page keeps room for new versions.
ALTER TABLE programs SET (
  fillfactor = 50
);

-- prisma/sql/storage/referred_orders.sql
-- The figures read it in its index alone, which reads the table for rows on pages that no vacuum has marked as visible to all: see
-- decisions.sql.
ALTER TABLE referred_orders SET (
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_insert_scale_factor = 0.02
);

-- prisma/sql/storage/rewards.sql
-- A reward changes its state and the endpoints that were notified of it: a page keeps room. Vacuumed before a fifth of the table is
-- dead: see also decisions.sql.
ALTER TABLE rewards SET (
  fillfactor = 85,
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_insert_scale_factor = 0.02
);

-- prisma/sql/triggers/audit_entries_append_only.sql
-- In the database: see the function.
CREATE OR REPLACE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE ON audit_entries
  FOR EACH ROW EXECUTE FUNCTION rules.audit_is_append_only();

-- prisma/sql/triggers/audit_entries_no_truncate.sql
-- TRUNCATE fires no trigger of rows.
CREATE OR REPLACE TRIGGER audit_entries_no_truncate BEFORE TRUNCATE ON audit_entries
  FOR EACH STATEMENT EXECUTE FUNCTION rules.audit_is_append_only();

-- prisma/sql/triggers/rewards_move.sql
-- In the database: see the function.
CREATE OR REPLACE TRIGGER rewards_move BEFORE UPDATE ON rewards
  FOR EACH ROW EXECUTE FUNCTION rules.rewards_move();

-- prisma/sql/rows/attempt_progress.sql
-- The one row.
INSERT INTO attempt_progress DEFAULT VALUES;

-- prisma/sql/rows/click_progress.sql
-- The one row.
INSERT INTO click_progress DEFAULT VALUES;

-- prisma/sql/rows/installation.sql
-- The one row: a random id. It is made here, so that a process cannot give two databases the same one.
INSERT INTO installation (id) VALUES (gen_random_uuid());

-- prisma/sql/rows/promise_counts.sql
-- The one row.
INSERT INTO promise_counts DEFAULT VALUES;

-- prisma/sql/rows/version_ceiling.sql
-- The one row: nothing is stored yet.
INSERT INTO version_ceiling (version) VALUES (0);

-- prisma/sql/rows/write_probes.sql
-- The one row.
INSERT INTO write_probes (id) VALUES (1);
