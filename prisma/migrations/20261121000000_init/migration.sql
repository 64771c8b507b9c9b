-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "merchants" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "timezone" TEXT NOT NULL DEFAULT 'Asia/Seoul',
    "identity_secret" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "landing_url" TEXT,
    "allowed_origins" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "require_user_hash" BOOLEAN NOT NULL DEFAULT false,
    "attribution_days" INTEGER NOT NULL DEFAULT 30,

    CONSTRAINT "merchants_pkey" PRIMARY KEY ("id")
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
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(6),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "signing_keys" (
    "id" TEXT NOT NULL,
    "merchant_id" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "promoted_at" TIMESTAMPTZ(6) NOT NULL,
    "expires_at" TIMESTAMPTZ(6),

    CONSTRAINT "signing_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "endpoints" (
    "id" TEXT NOT NULL,
    "merchant_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "event_types" TEXT[],
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "disabled_at" TIMESTAMPTZ(6),
    "disabled_reason" JSONB,
    "paused_until" TIMESTAMPTZ(6),
    "deleted_at" TIMESTAMPTZ(6),

    CONSTRAINT "endpoints_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "members" (
    "merchant_id" TEXT NOT NULL,
    "member_id" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "members_pkey" PRIMARY KEY ("merchant_id","member_id")
);

-- CreateTable
CREATE TABLE "clicks" (
    "id" TEXT NOT NULL,
    "merchant_id" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "clicked_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "clicks_pkey" PRIMARY KEY ("id")
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
    "linked_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "orders_enqueued_at" TIMESTAMPTZ(6),

    CONSTRAINT "referrals_pkey" PRIMARY KEY ("merchant_id","id")
);

-- CreateTable
CREATE TABLE "programs" (
    "merchant_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "spent" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "programs_pkey" PRIMARY KEY ("merchant_id")
);

-- CreateTable
CREATE TABLE "program_versions" (
    "merchant_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "program_id" TEXT NOT NULL,
    "rule" JSONB NOT NULL,
    "published_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "program_versions_pkey" PRIMARY KEY ("merchant_id","version")
);

-- CreateTable
CREATE TABLE "orders" (
    "merchant_id" TEXT NOT NULL,
    "order_id" TEXT NOT NULL,
    "version" BIGINT NOT NULL,
    "member_id" TEXT NOT NULL,
    "order_amount" BIGINT NOT NULL,
    "paid_amount" BIGINT NOT NULL,
    "shipping_amount" BIGINT NOT NULL,
    "order_date" TIMESTAMPTZ(6) NOT NULL,
    "first_order" BOOLEAN NOT NULL,
    "paid_at" TIMESTAMPTZ(6),
    "cancelled_at" TIMESTAMPTZ(6),
    "returned_at" TIMESTAMPTZ(6),
    "items" JSONB NOT NULL,
    "versions" BIGINT[],
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "orders_pkey" PRIMARY KEY ("merchant_id","order_id")
);

-- CreateTable
CREATE TABLE "due_judgements" (
    "merchant_id" TEXT NOT NULL,
    "order_id" TEXT NOT NULL,
    "member_id" TEXT NOT NULL,
    "version" BIGINT NOT NULL,
    "due_since" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "swept_at" TIMESTAMPTZ(6),

    CONSTRAINT "due_judgements_pkey" PRIMARY KEY ("merchant_id","order_id")
);

-- CreateTable
CREATE TABLE "decisions" (
    "merchant_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "order_id" TEXT NOT NULL,
    "order_version" BIGINT NOT NULL,
    "member_id" TEXT NOT NULL,
    "referral_id" TEXT NOT NULL,
    "program_version" INTEGER NOT NULL,
    "outcome" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "checks" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "decisions_pkey" PRIMARY KEY ("merchant_id","id")
);

-- CreateTable
CREATE TABLE "rewards" (
    "merchant_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "program_id" TEXT NOT NULL,
    "program_version" INTEGER NOT NULL,
    "referral_id" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "member_id" TEXT NOT NULL,
    "order_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "unit" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "month" TEXT NOT NULL,
    "confirm_due_at" TIMESTAMPTZ(6),
    "confirmed_at" TIMESTAMPTZ(6),
    "ended_at" TIMESTAMPTZ(6),

    CONSTRAINT "rewards_pkey" PRIMARY KEY ("merchant_id","id")
);

-- CreateTable
CREATE TABLE "events" (
    "merchant_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "reward_id" TEXT,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "events_pkey" PRIMARY KEY ("merchant_id","id")
);

-- CreateTable
CREATE TABLE "deliveries" (
    "id" UUID NOT NULL,
    "merchant_id" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'pending',
    "attempts_made" INTEGER NOT NULL DEFAULT 0,
    "schedule_step" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(6) DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(6),

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "attempts" (
    "delivery_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "merchant_id" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(6) NOT NULL,
    "url" TEXT NOT NULL,
    "status" INTEGER,
    "error_class" TEXT,
    "error_message" TEXT,
    "timings" JSONB NOT NULL,
    "response_body" TEXT,

    CONSTRAINT "attempts_pkey" PRIMARY KEY ("delivery_id","number")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_sha256_key" ON "api_keys"("sha256");

-- CreateIndex
CREATE INDEX "api_keys_merchant_id_idx" ON "api_keys"("merchant_id");

-- CreateIndex
CREATE INDEX "signing_keys_merchant_id_idx" ON "signing_keys"("merchant_id");

-- CreateIndex
CREATE INDEX "endpoints_merchant_id_idx" ON "endpoints"("merchant_id");

-- CreateIndex
CREATE UNIQUE INDEX "members_code_key" ON "members"("code");

-- CreateIndex
CREATE INDEX "clicks_merchant_id_code_clicked_at_idx" ON "clicks"("merchant_id", "code", "clicked_at");

-- CreateIndex
CREATE INDEX "referrals_unmarked_idx" ON "referrals"("linked_at") WHERE (orders_enqueued_at IS NULL);

-- CreateIndex
CREATE INDEX "referrals_merchant_id_referrer_member_id_idx" ON "referrals"("merchant_id", "referrer_member_id");

-- CreateIndex
CREATE UNIQUE INDEX "referrals_merchant_id_referee_member_id_key" ON "referrals"("merchant_id", "referee_member_id");

-- CreateIndex
CREATE INDEX "orders_merchant_id_member_id_idx" ON "orders"("merchant_id", "member_id");

-- CreateIndex
CREATE INDEX "due_judgements_due_since_idx" ON "due_judgements"("due_since");

-- CreateIndex
CREATE INDEX "decisions_merchant_id_order_id_idx" ON "decisions"("merchant_id", "order_id");

-- CreateIndex
CREATE INDEX "rewards_merchant_id_referral_id_idx" ON "rewards"("merchant_id", "referral_id");

-- CreateIndex
CREATE INDEX "rewards_merchant_id_order_id_idx" ON "rewards"("merchant_id", "order_id");

-- CreateIndex
CREATE INDEX "rewards_merchant_id_member_id_idx" ON "rewards"("merchant_id", "member_id");

-- CreateIndex
CREATE INDEX "rewards_hold_idx" ON "rewards"("confirm_due_at") WHERE (state = 'pending');

-- CreateIndex
CREATE UNIQUE INDEX "rewards_live_key" ON "rewards"("merchant_id", "program_id", "subject", "role") WHERE (state in ('pending', 'confirmed'));

-- CreateIndex
CREATE INDEX "events_merchant_id_reward_id_idx" ON "events"("merchant_id", "reward_id");

-- CreateIndex
CREATE INDEX "deliveries_due_idx" ON "deliveries"("endpoint_id", "next_attempt_at") WHERE (state = 'pending');

-- CreateIndex
CREATE INDEX "deliveries_merchant_id_created_at_idx" ON "deliveries"("merchant_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "deliveries_merchant_id_event_id_endpoint_id_key" ON "deliveries"("merchant_id", "event_id", "endpoint_id");

-- What Prisma cannot express. The rules of the product, kept by the database too.
-- Functions live in a schema of their own, apart from the tables.
CREATE SCHEMA "rules";
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_kind" CHECK ("kind" IN ('secret', 'public'));
ALTER TABLE "referrals" ADD CONSTRAINT "referrals_never_oneself" CHECK ("referee_member_id" <> "referrer_member_id");
ALTER TABLE "rewards" ADD CONSTRAINT "rewards_amount" CHECK ("amount" > 0);
ALTER TABLE "rewards" ADD CONSTRAINT "rewards_role" CHECK ("role" IN ('referee', 'referrer'));
ALTER TABLE "rewards" ADD CONSTRAINT "rewards_state" CHECK ("state" IN ('pending', 'confirmed', 'revoked', 'cancelled'));
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_state"
  CHECK ("state" IN ('pending', 'held', 'delivered', 'exhausted', 'cancelled'));

-- A reward moves along these arrows only, and what was issued is never edited. But the id of a member who is erased
-- is replaced by a tombstone.
-- (\x3b is a semicolon: the offline migration engine cuts the script at each one that it sees.)
CREATE FUNCTION "rules"."rewards_move"() RETURNS trigger LANGUAGE plpgsql AS E'BEGIN
  IF OLD.state <> NEW.state AND (OLD.state, NEW.state) NOT IN ((\'pending\', \'confirmed\'), (\'pending\', \'cancelled\'), (\'confirmed\', \'revoked\')) THEN
    RAISE EXCEPTION \'a reward cannot move from % to %\', OLD.state, NEW.state USING ERRCODE = \'check_violation\'\x3b
  END IF\x3b
  IF (OLD.subject, OLD.role, OLD.order_id, OLD.type, OLD.amount, OLD.unit)
     IS DISTINCT FROM (NEW.subject, NEW.role, NEW.order_id, NEW.type, NEW.amount, NEW.unit)
     OR (OLD.member_id <> NEW.member_id AND (OLD.state <> NEW.state OR NEW.member_id NOT LIKE \'erased-%\')) THEN
    RAISE EXCEPTION \'a reward is never edited\' USING ERRCODE = \'check_violation\'\x3b
  END IF\x3b
  RETURN NEW\x3b
END';
CREATE TRIGGER "rewards_move" BEFORE UPDATE ON "rewards" FOR EACH ROW EXECUTE FUNCTION "rules"."rewards_move"();

-- ISO 8601 in UTC with microseconds: the form of every date-time in an event body.
CREATE FUNCTION "rules"."iso_utc"(at timestamptz) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS
  $$ SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') $$;

-- Whether a delivery was made of an event of this type for the reward.
CREATE FUNCTION "rules"."was_notified"(merchant text, reward text, event_type text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT 1 FROM public.events e JOIN public.deliveries d ON d.merchant_id = e.merchant_id AND d.event_id = e.id
    WHERE e.merchant_id = merchant AND e.reward_id = reward AND e.type = event_type)
$$;

ALTER TABLE "programs" ADD CONSTRAINT "programs_spent" CHECK ("spent" >= 0);
