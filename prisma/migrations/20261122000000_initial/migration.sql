-- The schema of Rewardhook. Tables, columns and indexes follow prisma/schema.prisma, which documents the columns. Checks,
-- functions and triggers exist here only. packages/database/src/states.ts lists the values that the checks allow.
--
-- Comments contain no semicolon, and functions quoted with E'' write \x3b for it: Prisma's WebAssembly schema engine
-- splits the script at every semicolon that it sees.

CREATE SCHEMA IF NOT EXISTS "public";

-- Functions are kept apart from the tables.
CREATE SCHEMA "rules";

-- ISO 8601 in UTC with microseconds: the form of every timestamp in an event body.
CREATE FUNCTION "rules"."iso_utc"(at timestamptz) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS
  $$ SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') $$;

-- The name of a time zone, or UTC if PostgreSQL does not know it. Zones are validated when they are set, but a later
-- version of PostgreSQL may no longer know one of them.
CREATE FUNCTION "rules"."known_zone"(name text) RETURNS text LANGUAGE plpgsql STABLE AS E'BEGIN
  PERFORM now() AT TIME ZONE name\x3b
  RETURN name\x3b
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN \'UTC\'\x3b
END';

-- The time partitions of large tables: their names, and the range of time of each. Ranges start and end at midnight in
-- UTC. Rows outside of all ranges are in the default partition.
CREATE VIEW "rules"."partitions" AS
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

-- Adds a partition for the days from `since`, inclusive, until `until`, exclusive. With these two functions an
-- application role that owns no table can add and drop partitions of these tables, and nothing else. A partition that
-- has rows of the last day cannot be dropped.
CREATE FUNCTION "rules"."add_partition"(parent text, since date, until date) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS E'
DECLARE
  name text := parent || \'_p\' || to_char(since, \'YYYYMMDD\')\x3b
BEGIN
  IF parent NOT IN (\'attempts\', \'clicks\', \'events\') OR until <= since OR until - since > 31 THEN
    RAISE EXCEPTION \'% has no partition from % until %\', parent, since, until\x3b
  END IF\x3b
  -- Attached after it was created: this blocks neither reading nor writing the table.
  EXECUTE format(\'CREATE TABLE public.%I (LIKE public.%I INCLUDING ALL)\', name, parent)\x3b
  EXECUTE format(\'ALTER TABLE public.%I ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)\',
    parent, name, since::timestamptz, until::timestamptz)\x3b
END';

CREATE FUNCTION "rules"."drop_partition"(partition text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS E'
BEGIN
  IF NOT EXISTS (
    SELECT 1 FROM rules.partitions p
    WHERE p.name = partition AND p.parent IN (\'attempts\', \'clicks\', \'events\')
      AND p.until <= now() - interval \'1 day\') THEN
    RAISE EXCEPTION \'% is not a partition that can be dropped\', partition\x3b
  END IF\x3b
  EXECUTE format(\'DROP TABLE public.%I\', partition)\x3b
END';

REVOKE EXECUTE ON FUNCTION "rules"."add_partition"(text, date, date) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION "rules"."drop_partition"(text) FROM PUBLIC;

--
-- Merchants: keys, signing keys, origins
--

-- A tenant: owns keys, webhooks, members, orders and a program.
CREATE TABLE "merchants" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "timezone" TEXT NOT NULL DEFAULT 'Asia/Seoul',
    "identity_secret" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "landing_url" TEXT,
    "allowed_origins" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "require_user_hash" BOOLEAN NOT NULL DEFAULT true,
    "attribution_days" INTEGER NOT NULL DEFAULT 30,
    "contact_email" TEXT,
    "next_digest_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "signature_checked_at" TIMESTAMPTZ(6),
    "last_ping_at" TIMESTAMPTZ(6),
    "feed_position" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "merchants_pkey" PRIMARY KEY ("id")
);

-- An API key. Of a secret key only the SHA-256 is stored.
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
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(6),
    "created_by" TEXT,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "api_keys_kind" CHECK ("kind" IN ('secret', 'public')),
    CONSTRAINT "api_keys_public_value" CHECK ("public_value" IS NULL OR "kind" = 'public')
);
CREATE UNIQUE INDEX "api_keys_sha256_key" ON "api_keys"("sha256");
CREATE INDEX "api_keys_merchant_id_idx" ON "api_keys"("merchant_id");

-- A webhook signing key. The newest promoted one makes X-Service-Signature.
CREATE TABLE "signing_keys" (
    "id" TEXT NOT NULL,
    "merchant_id" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "promoted_at" TIMESTAMPTZ(6) NOT NULL,
    "expires_at" TIMESTAMPTZ(6),

    CONSTRAINT "signing_keys_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "signing_keys_merchant_id_idx" ON "signing_keys"("merchant_id");

-- An origin that a merchant controls. Landing URLs must have one of these.
CREATE TABLE "verified_origins" (
    "merchant_id" TEXT NOT NULL,
    "origin" TEXT NOT NULL,
    "proof" TEXT NOT NULL,
    "verified_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "verified_origins_pkey" PRIMARY KEY ("merchant_id","origin"),
    CONSTRAINT "verified_origins_proof" CHECK ("proof" IN ('file', 'operator'))
);

--
-- Members and referrals
--

-- A merchant's customer, identified by `member_id`. Inserted at the member's first boot or link.
CREATE TABLE "members" (
    "merchant_id" TEXT NOT NULL,
    "member_id" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "look_alike" BYTEA,

    CONSTRAINT "members_pkey" PRIMARY KEY ("merchant_id","member_id")
);
CREATE INDEX "members_merchant_id_look_alike_idx" ON "members"("merchant_id", "look_alike");
CREATE UNIQUE INDEX "members_code_key" ON "members"("code");

-- "This member (the referrer) referred that member (the referee)". At most one per referee. It never changes.
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
    "orders_enqueued_at" TIMESTAMPTZ(6),
    "enqueue_after_xid" xid8,

    CONSTRAINT "referrals_pkey" PRIMARY KEY ("merchant_id","id"),
    CONSTRAINT "referrals_never_oneself" CHECK ("referee_member_id" <> "referrer_member_id"),
    CONSTRAINT "referrals_source" CHECK ("source" IN ('boot', 'link')),
    CONSTRAINT "referrals_review" CHECK (
        "review" IN ('none', 'pending', 'accepted', 'rejected')
        AND ("review" IN ('accepted', 'rejected')) = ("reviewed_at" IS NOT NULL)
        AND ("reviewed_at" IS NULL) = ("reviewed_by" IS NULL))
);
CREATE INDEX "referrals_not_enqueued_idx" ON "referrals"("linked_at") WHERE (orders_enqueued_at IS NULL);
CREATE INDEX "referrals_merchant_id_referrer_member_id_idx" ON "referrals"("merchant_id", "referrer_member_id");
CREATE INDEX "referrals_needs_review_idx" ON "referrals"("merchant_id", "linked_at") WHERE (review = 'pending');
CREATE UNIQUE INDEX "referrals_merchant_id_referee_member_id_key" ON "referrals"("merchant_id", "referee_member_id");

-- A click on a member's share link. Partitioned by time, as are events and attempts: old partitions are dropped.
CREATE TABLE "clicks" (
    "id" TEXT NOT NULL,
    "merchant_id" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "clicked_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "clicks_pkey" PRIMARY KEY ("id","clicked_at")
) PARTITION BY RANGE ("clicked_at");
CREATE TABLE "clicks_default" PARTITION OF "clicks" DEFAULT;
CREATE INDEX "clicks_merchant_id_code_clicked_at_idx" ON "clicks"("merchant_id", "code", "clicked_at");

--
-- Programs
--

-- A merchant's program, and the sum of its live rewards.
CREATE TABLE "programs" (
    "merchant_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "spent" DECIMAL(38,0) NOT NULL DEFAULT 0,

    CONSTRAINT "programs_pkey" PRIMARY KEY ("merchant_id"),
    CONSTRAINT "programs_spent" CHECK ("spent" >= 0)
) WITH (fillfactor = 50);

-- A version of a merchant's reward rule. It never changes. The highest version is in force.
CREATE TABLE "program_versions" (
    "merchant_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "program_id" TEXT NOT NULL,
    "rule" JSONB NOT NULL,
    "published_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "program_versions_pkey" PRIMARY KEY ("merchant_id","version")
);

--
-- Orders and their evaluation
--

-- An order in its newest state. `version` is the number of the request that contained it. No foreign key to
-- merchants: rows are written often, and keys are checked at ingest.
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
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX "orders_merchant_id_member_id_idx" ON "orders"("merchant_id", "member_id");
CREATE INDEX "orders_created_at_idx" ON "orders" USING BRIN ("created_at");

-- At most 1,000 orders that are due for evaluation. Inserted in the transaction that stores the orders, or after a link.
-- Deleted by the evaluation. The row is authoritative: its job may be lost, and the sweeper enqueues it again.
CREATE TABLE "due_batches" (
    "merchant_id" TEXT NOT NULL,
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "order_ids" TEXT[],
    "member_ids" TEXT[],
    "ends_holds" BOOLEAN NOT NULL DEFAULT false,
    "due_since" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "swept_at" TIMESTAMPTZ(6),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "last_error" TEXT,
    "parked_at" TIMESTAMPTZ(6),

    CONSTRAINT "due_batches_pkey" PRIMARY KEY ("merchant_id","id")
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX "due_batches_due_since_idx" ON "due_batches"("due_since");
CREATE INDEX "due_batches_failing_idx" ON "due_batches"("due_since") WHERE (failures > 0);

-- The result of evaluating one version of an order under one version of the program.
CREATE TABLE "decisions" (
    "merchant_id" TEXT NOT NULL,
    "order_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "order_version" BIGINT NOT NULL,
    "member_id" TEXT NOT NULL,
    "referral_id" TEXT NOT NULL,
    "program_version" INTEGER NOT NULL,
    "outcome" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "checks" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "decisions_pkey" PRIMARY KEY ("merchant_id","order_id","number"),
    CONSTRAINT "decisions_outcome" CHECK ("outcome" IN ('rewarded', 'confirmed', 'kept', 'withdrawn', 'no_reward'))
);
CREATE INDEX "decisions_created_at_idx" ON "decisions" USING BRIN ("created_at");

-- Stores batches of orders, given as jsonb `[{merchantId, version, orders}]`, and enqueues those that are due for
-- evaluation: orders of linked members, and orders with a decision for another member. Returns the due batches. One
-- transaction, one round trip.
--
-- The first statement upserts. The highest version wins regardless of the order in which batches are stored, and
-- storing a batch twice changes nothing. Of several versions of an order in the batches the highest is stored. Rows
-- are sorted by key, so that concurrent calls lock them in one order.
--
-- The second statement enqueues. It sees what was committed while the first one waited for locks: a referral, or the
-- decision of an evaluation that had locked the order. An order that is stored for the first time has no decision.
-- OFFSET 0 makes the planner join by key, whatever it assumes about table sizes. Plans are not cached, because tables
-- grow.
CREATE FUNCTION "rules"."store_orders"(batches jsonb) RETURNS TABLE (merchant_id text, id uuid, order_ids text[])
LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS E'
#variable_conflict use_column
DECLARE
  merchants text[]\x3b
  orders text[]\x3b
  members text[]\x3b
  known boolean[]\x3b
BEGIN
  WITH changed AS (
    INSERT INTO orders AS stored (merchant_id, order_id, version, member_id, order_amount, paid_amount, shipping_amount,
      order_date, first_order, paid_at, cancelled_at, returned_at, items, versions)
    SELECT DISTINCT ON (batch."merchantId", sent.order_id)
      batch."merchantId", sent.order_id, batch.version, sent.member_id, sent.order_amount, sent.paid_amount,
      sent.shipping_amount, sent.order_date, sent.first_order, sent.paid_at, sent.cancelled_at, sent.returned_at,
      sent.items, ARRAY[batch.version]
    FROM jsonb_to_recordset(batches) AS batch ("merchantId" text, version bigint, orders jsonb),
      jsonb_to_recordset(batch.orders) AS sent (order_id text, member_id text, order_amount bigint, paid_amount bigint,
        shipping_amount bigint, order_date timestamptz, first_order boolean, paid_at timestamptz,
        cancelled_at timestamptz, returned_at timestamptz, items jsonb)
    ORDER BY batch."merchantId", sent.order_id, batch.version DESC
    ON CONFLICT (merchant_id, order_id) DO UPDATE SET
      version = excluded.version, member_id = excluded.member_id, order_amount = excluded.order_amount,
      paid_amount = excluded.paid_amount, shipping_amount = excluded.shipping_amount, order_date = excluded.order_date,
      first_order = excluded.first_order, paid_at = excluded.paid_at, cancelled_at = excluded.cancelled_at,
      returned_at = excluded.returned_at, items = excluded.items,
      versions = (stored.versions || excluded.version)[greatest(1, cardinality(stored.versions) - 48):],
      updated_at = clock_timestamp()
    WHERE stored.version < excluded.version
    RETURNING merchant_id, order_id, member_id, cardinality(versions) > 1 AS known
  )
  SELECT array_agg(c.merchant_id), array_agg(c.order_id), array_agg(c.member_id), array_agg(c.known)
  INTO merchants, orders, members, known FROM changed c\x3b

  RETURN QUERY
  WITH changed AS MATERIALIZED (
    SELECT * FROM unnest(merchants, orders, members, known) AS c (merchant_id, order_id, member_id, known)
  ), due AS (
    SELECT c.merchant_id, c.order_id, c.member_id
    FROM (SELECT DISTINCT merchant_id, member_id FROM changed) m
    CROSS JOIN LATERAL (
      SELECT 1 FROM referrals r
      WHERE r.merchant_id = m.merchant_id AND r.referee_member_id = m.member_id OFFSET 0) linked
    JOIN changed c ON c.merchant_id = m.merchant_id AND c.member_id = m.member_id
    UNION
    SELECT c.merchant_id, c.order_id, c.member_id
    FROM changed c
    CROSS JOIN LATERAL (
      SELECT d.member_id FROM decisions d
      WHERE d.merchant_id = c.merchant_id AND d.order_id = c.order_id OFFSET 0) decided
    WHERE c.known AND decided.member_id <> c.member_id
  ), numbered AS (
    SELECT *, row_number() OVER (PARTITION BY merchant_id ORDER BY order_id) AS number FROM due
  )
  INSERT INTO due_batches AS b (merchant_id, order_ids, member_ids)
  SELECT n.merchant_id, array_agg(n.order_id), array_agg(n.member_id)
  FROM numbered n GROUP BY n.merchant_id, (n.number - 1) / 1000
  RETURNING b.merchant_id, b.id, b.order_ids\x3b
END';

--
-- Rewards
--

-- What one member is due because of one referral.
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
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
    "month" TEXT NOT NULL,
    "confirm_due_at" TIMESTAMPTZ(6),
    "confirmed_at" TIMESTAMPTZ(6),
    "ended_at" TIMESTAMPTZ(6),
    "issue_notified" BOOLEAN NOT NULL DEFAULT false,
    "revoke_notified" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "rewards_pkey" PRIMARY KEY ("merchant_id","id"),
    CONSTRAINT "rewards_role" CHECK ("role" IN ('referee', 'referrer')),
    CONSTRAINT "rewards_amount" CHECK ("amount" > 0),
    CONSTRAINT "rewards_state" CHECK ("state" IN ('pending', 'confirmed', 'revoked', 'cancelled'))
) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX "rewards_merchant_id_referral_id_idx" ON "rewards"("merchant_id", "referral_id");
CREATE INDEX "rewards_merchant_id_order_id_idx" ON "rewards"("merchant_id", "order_id");
CREATE INDEX "rewards_merchant_id_member_id_idx" ON "rewards"("merchant_id", "member_id");
CREATE INDEX "rewards_merchant_id_created_at_idx" ON "rewards"("merchant_id", "created_at");
CREATE INDEX "rewards_hold_idx" ON "rewards"("confirm_due_at") WHERE (state = 'pending');
CREATE UNIQUE INDEX "rewards_live_key" ON "rewards"("merchant_id", "program_id", "subject", "role") WHERE (state in ('pending', 'confirmed'));

-- Allows only the transitions of a reward's state. Other columns never change, except that the erasure of a member
-- replaces their id.
CREATE FUNCTION "rules"."rewards_move"() RETURNS trigger LANGUAGE plpgsql AS E'BEGIN
  IF OLD.state <> NEW.state AND (OLD.state, NEW.state) NOT IN (
    (\'pending\', \'confirmed\'), (\'pending\', \'cancelled\'), (\'confirmed\', \'revoked\')) THEN
    RAISE EXCEPTION \'a reward cannot move from % to %\', OLD.state, NEW.state USING ERRCODE = \'check_violation\'\x3b
  END IF\x3b
  IF (OLD.subject, OLD.role, OLD.order_id, OLD.type, OLD.amount, OLD.unit)
     IS DISTINCT FROM (NEW.subject, NEW.role, NEW.order_id, NEW.type, NEW.amount, NEW.unit)
     OR (OLD.member_id <> NEW.member_id AND (OLD.state <> NEW.state OR NEW.member_id NOT LIKE \'erased-%\')) THEN
    RAISE EXCEPTION \'the data of a reward cannot be changed\' USING ERRCODE = \'check_violation\'\x3b
  END IF\x3b
  RETURN NEW\x3b
END';

CREATE TRIGGER "rewards_move" BEFORE UPDATE ON "rewards" FOR EACH ROW EXECUTE FUNCTION "rules"."rewards_move"();

--
-- Endpoints and notices
--

-- A registered webhook URL with its event types, and its health.
CREATE TABLE "endpoints" (
    "id" TEXT NOT NULL,
    "merchant_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "event_types" TEXT[],
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "disabled_at" TIMESTAMPTZ(6),
    "disabled_reason" JSONB,
    "paused_at" TIMESTAMPTZ(6),
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

    CONSTRAINT "endpoints_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "endpoints_retry_hours" CHECK ("retry_hours" BETWEEN 1 AND 720)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX "endpoints_merchant_id_idx" ON "endpoints"("merchant_id");
CREATE INDEX "endpoints_url_idx" ON "endpoints" USING HASH ("url");

-- The rate limit that the endpoints of a host share until they first respond with 2xx.
CREATE TABLE "webhook_hosts" (
    "host" TEXT NOT NULL,
    "next_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "webhook_hosts_pkey" PRIMARY KEY ("host")
);

-- A notice about an endpoint, mailed when mail is configured. Webhooks about it are sent by a separate event.
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

    CONSTRAINT "notices_pkey" PRIMARY KEY ("merchant_id","id"),
    CONSTRAINT "notices_type" CHECK ("type" IN ('endpoint.failing', 'endpoint.disabling_soon', 'endpoint.disabled'))
);
CREATE INDEX "notices_unmailed_idx" ON "notices"("mail_next_at") WHERE (mailed_at IS NULL);
CREATE INDEX "notices_merchant_id_created_at_idx" ON "notices"("merchant_id", "created_at");

--
-- Events, deliveries and replays
--

-- An event that a merchant is notified of. `body` is the exact text that is signed and sent.
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
    "erased_at" TIMESTAMPTZ(6),

    CONSTRAINT "events_pkey" PRIMARY KEY ("merchant_id","id","created_at")
) PARTITION BY RANGE ("created_at");
CREATE TABLE "events_default" PARTITION OF "events" DEFAULT;
CREATE INDEX "events_merchant_id_reward_id_idx" ON "events"("merchant_id", "reward_id");
CREATE INDEX "events_without_position_idx" ON "events"("merchant_id", "sequence") WHERE (position IS NULL);
CREATE INDEX "events_merchant_id_position_idx" ON "events"("merchant_id", "position");

-- One event to one endpoint. Its id is X-Service-Delivery. A claim changes only "leased_until", which is in no index: a
-- page keeps room for the new version of the row, so that no index is written (docs/decisions/042).
CREATE TABLE "deliveries" (
    "id" UUID NOT NULL,
    "merchant_id" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "event_created_at" TIMESTAMPTZ(6),
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

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "deliveries_state" CHECK ("state" IN ('pending', 'held', 'delivered', 'exhausted', 'cancelled'))
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
CREATE INDEX "deliveries_merchant_id_endpoint_id_created_at_idx" ON "deliveries"("merchant_id", "endpoint_id", "created_at");
CREATE INDEX "deliveries_due_idx" ON "deliveries"("endpoint_id", "next_attempt_at") WHERE (state = 'pending');
CREATE INDEX "deliveries_retry_idx" ON "deliveries"("endpoint_id", "retry_at") WHERE (state = 'pending' AND retry_at IS NOT NULL);
CREATE INDEX "deliveries_held_idx" ON "deliveries"("endpoint_id") WHERE (state = 'held');
CREATE INDEX "deliveries_of_replays_idx" ON "deliveries"("event_created_at") WHERE (replay_id <> '');
CREATE INDEX "deliveries_merchant_id_created_at_idx" ON "deliveries"("merchant_id", "created_at");
CREATE UNIQUE INDEX "deliveries_merchant_id_event_id_endpoint_id_replay_id_key" ON "deliveries"("merchant_id", "event_id", "endpoint_id", "replay_id");

-- Whether a delivery of an event of this type was created for a reward: the merchant was notified, or will be. The reward
-- keeps the answer longer than the event is kept.
CREATE FUNCTION "rules"."was_notified"(merchant text, reward text, event_type text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce((
    SELECT CASE event_type WHEN 'reward.issue' THEN w.issue_notified WHEN 'reward.revoke' THEN w.revoke_notified END
    FROM public.rewards w WHERE w.merchant_id = merchant AND w.id = reward), false)
$$;

-- One POST of a delivery.
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

    CONSTRAINT "attempts_pkey" PRIMARY KEY ("delivery_id","number","started_at")
) PARTITION BY RANGE ("started_at");
CREATE TABLE "attempts_default" PARTITION OF "attempts" DEFAULT;
CREATE INDEX "attempts_merchant_id_started_at_idx" ON "attempts"("merchant_id", "started_at");

-- The partitions from yesterday on for the next days. The pruner adds later ones.
SELECT rules.add_partition(parent, start + width * number, start + width * (number + 1))
FROM (VALUES ('attempts', 3, 4), ('clicks', 3, 4), ('events', 9, 2)) AS tables (parent, width, partitions),
  (SELECT (now() AT TIME ZONE 'UTC')::date - 1 AS start) yesterday,
  generate_series(0, partitions - 1) AS number;

-- Deliveries that a merchant asked to have sent again, at a limited rate.
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

    CONSTRAINT "replays_pkey" PRIMARY KEY ("merchant_id","id"),
    CONSTRAINT "replays_state" CHECK ("state" IN ('running', 'paused', 'cancelled', 'done')),
    CONSTRAINT "replays_per_minute" CHECK ("per_minute" > 0)
);
CREATE INDEX "replays_running_idx" ON "replays"("next_at") WHERE (state = 'running');

--
-- Accounts of the console
--

-- A person who signs in to the console.
CREATE TABLE "users" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "users_email" CHECK ("email" = lower("email"))
);
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- A user's role at a merchant.
CREATE TABLE "memberships" (
    "merchant_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memberships_pkey" PRIMARY KEY ("merchant_id","user_id"),
    CONSTRAINT "memberships_role" CHECK ("role" IN ('owner', 'developer', 'viewer'))
);
CREATE INDEX "memberships_user_id_idx" ON "memberships"("user_id");

-- A session of the console. Only the SHA-256 of its id is stored.
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
CREATE INDEX "sessions_user_id_idx" ON "sessions"("user_id");
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

-- An invitation to a merchant's team. Only the SHA-256 of its token is stored.
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

    CONSTRAINT "invitations_pkey" PRIMARY KEY ("merchant_id","id"),
    CONSTRAINT "invitations_role" CHECK ("role" IN ('owner', 'developer', 'viewer'))
);
CREATE UNIQUE INDEX "invitations_token_sha256_key" ON "invitations"("token_sha256");

-- A sign-up whose e-mail address is not verified yet: the account is created when the link in the mail is used.
CREATE TABLE "sign_ups" (
    "token_sha256" BYTEA NOT NULL,
    "email" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "sign_ups_pkey" PRIMARY KEY ("token_sha256")
);
CREATE INDEX "sign_ups_expires_at_idx" ON "sign_ups"("expires_at");

-- A link by which a user sets a new password. Only the SHA-256 of its token is stored.
CREATE TABLE "password_resets" (
    "user_id" TEXT NOT NULL,
    "token_sha256" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "password_resets_pkey" PRIMARY KEY ("user_id")
);
CREATE UNIQUE INDEX "password_resets_token_sha256_key" ON "password_resets"("token_sha256");

-- A contact address that is not confirmed yet.
CREATE TABLE "contact_confirmations" (
    "merchant_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "token_sha256" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "contact_confirmations_pkey" PRIMARY KEY ("merchant_id")
);
CREATE UNIQUE INDEX "contact_confirmations_token_sha256_key" ON "contact_confirmations"("token_sha256");

-- A mail about an account that is to be sent. Deleted when it is sent or discarded. Its link is created when it is
-- sent, so that no token is stored here.
CREATE TABLE "account_mails" (
    "id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "recipient" TEXT NOT NULL,
    "merchant_id" TEXT,
    "subject_id" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_mails_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "account_mails_kind" CHECK ("kind" IN ('sign_up', 'password_reset', 'invitation', 'contact_confirmation'))
);
CREATE INDEX "account_mails_next_at_idx" ON "account_mails"("next_at");
