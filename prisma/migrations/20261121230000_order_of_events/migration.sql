-- Times were the start of their transaction, which may have waited for what it follows: here they follow it.
UPDATE "rewards" SET "confirmed_at" = "created_at" WHERE "confirmed_at" < "created_at";
UPDATE "rewards" SET "ended_at" = greatest("created_at", "confirmed_at")
WHERE "ended_at" < greatest("created_at", "confirmed_at");
UPDATE "decisions" d SET "created_at" = running."at"
FROM (SELECT "merchant_id", "order_id", "number",
    max("created_at") OVER (PARTITION BY "merchant_id", "order_id" ORDER BY "number") AS "at" FROM "decisions") running
WHERE running."merchant_id" = d."merchant_id" AND running."order_id" = d."order_id" AND running."number" = d."number"
  AND running."at" > d."created_at";
UPDATE "events" revoke SET "created_at" = issue."created_at" + interval '1 microsecond'
FROM "events" issue
WHERE issue."merchant_id" = revoke."merchant_id" AND issue."reward_id" = revoke."reward_id"
  AND issue."type" = 'reward.issue' AND revoke."type" = 'reward.revoke' AND revoke."created_at" <= issue."created_at";
UPDATE "deliveries" d SET "created_at" = e."created_at" FROM "events" e
WHERE e."merchant_id" = d."merchant_id" AND e."id" = d."event_id" AND d."created_at" < e."created_at";

-- A revocation that has a lower position than its issue changes places with it: whoever has read both, or neither, or
-- only the revocation, takes back what it was given, or was given nothing. Two steps, since positions are unique.
UPDATE "events" e SET "position" = - other."position" FROM "events" other
WHERE other."merchant_id" = e."merchant_id" AND other."reward_id" = e."reward_id"
  AND ((e."type" = 'reward.issue' AND other."type" = 'reward.revoke' AND e."position" > other."position")
    OR (e."type" = 'reward.revoke' AND other."type" = 'reward.issue' AND e."position" < other."position"));
UPDATE "events" SET "position" = - "position" WHERE "position" < 0;

ALTER TABLE "events" ADD COLUMN "sequence" BIGINT;
UPDATE "events" e SET "sequence" = numbered."sequence"
FROM (SELECT "merchant_id", "id", row_number() OVER (ORDER BY "created_at", "id") AS "sequence" FROM "events") numbered
WHERE numbered."merchant_id" = e."merchant_id" AND numbered."id" = e."id";
CREATE SEQUENCE "events_sequence_seq" OWNED BY "events"."sequence";
SELECT setval('events_sequence_seq', (SELECT coalesce(max("sequence"), 0) + 1 FROM "events"), false);
ALTER TABLE "events" ALTER COLUMN "sequence" SET NOT NULL,
ALTER COLUMN "sequence" SET DEFAULT nextval('events_sequence_seq');

DROP INDEX "events_without_position_idx";
CREATE INDEX "events_without_position_idx" ON "events"("merchant_id", "sequence") WHERE (position IS NULL);

ALTER TABLE "decisions" ALTER COLUMN "created_at" SET DEFAULT clock_timestamp();
ALTER TABLE "deliveries" ALTER COLUMN "next_attempt_at" SET DEFAULT clock_timestamp(),
ALTER COLUMN "created_at" SET DEFAULT clock_timestamp();
ALTER TABLE "events" ALTER COLUMN "created_at" SET DEFAULT clock_timestamp();
ALTER TABLE "program_versions" ALTER COLUMN "published_at" SET DEFAULT clock_timestamp();
ALTER TABLE "referrals" ALTER COLUMN "linked_at" SET DEFAULT clock_timestamp();
ALTER TABLE "rewards" ALTER COLUMN "created_at" SET DEFAULT clock_timestamp();
