-- Decisions are counted by order, so that one index serves both as their key and to find an order's last one.
ALTER TABLE "decisions" ADD COLUMN "number" INTEGER, ALTER COLUMN "checks" SET DATA TYPE JSON;
-- A check is [check, value, threshold, passed] from here on.
UPDATE "decisions" d SET "number" = counted."number", "checks" = (
  SELECT coalesce(json_agg(json_build_array(c ->> 'check', c -> 'value', c -> 'threshold', c -> 'passed')), '[]')
  FROM json_array_elements(d."checks") c)
FROM (SELECT "merchant_id", "id",
    row_number() OVER (PARTITION BY "merchant_id", "order_id" ORDER BY "created_at", "id") AS "number" FROM "decisions"
  ) counted
WHERE counted."merchant_id" = d."merchant_id" AND counted."id" = d."id";
DROP INDEX "decisions_merchant_id_order_id_idx";
ALTER TABLE "decisions" DROP CONSTRAINT "decisions_pkey",
DROP COLUMN "id",
ALTER COLUMN "number" SET NOT NULL,
ADD CONSTRAINT "decisions_pkey" PRIMARY KEY ("merchant_id", "order_id", "number");

CREATE TABLE "due_batches" (
    "merchant_id" TEXT NOT NULL,
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "order_ids" TEXT[],
    "member_ids" TEXT[],
    "ends_holds" BOOLEAN NOT NULL DEFAULT false,
    "due_since" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "swept_at" TIMESTAMPTZ(6),

    CONSTRAINT "due_batches_pkey" PRIMARY KEY ("merchant_id","id")
);
CREATE INDEX "due_batches_due_since_idx" ON "due_batches"("due_since");

-- What waits goes on waiting. The sweeper queues it.
INSERT INTO "due_batches" ("merchant_id", "order_ids", "member_ids", "due_since")
SELECT "merchant_id", array_agg("order_id"), array_agg("member_id"), min("due_since")
FROM (SELECT *, (row_number() OVER (PARTITION BY "merchant_id" ORDER BY "due_since") - 1) / 1000 AS part
  FROM "due_judgements") waiting
GROUP BY "merchant_id", part;
DROP TABLE "due_judgements";
