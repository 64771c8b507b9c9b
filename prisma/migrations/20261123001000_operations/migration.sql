-- One row that processes update to check that PostgreSQL accepts writes.
CREATE TABLE "write_probes" (
    "id" SMALLINT NOT NULL,
    "probed_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "write_probes_pkey" PRIMARY KEY ("id")
);
INSERT INTO "write_probes" ("id") VALUES (1);

-- Nothing is sent to a parked endpoint: its dispatch failed repeatedly because of its content.
ALTER TABLE "endpoints" ADD COLUMN "parked_at" TIMESTAMPTZ(6), ADD COLUMN "parked_error" TEXT;

-- For the checks of the newest rows. They are small, and are not maintained by every insert.
CREATE INDEX "rewards_created_at_idx" ON "rewards" USING BRIN ("created_at");
CREATE INDEX "events_created_at_idx" ON "events" USING BRIN ("created_at");
CREATE INDEX "deliveries_created_at_idx" ON "deliveries" USING BRIN ("created_at");

-- Counts deliveries with no retries left, which are few.
CREATE INDEX "deliveries_exhausted_idx" ON "deliveries"("endpoint_id") WHERE (state = 'exhausted');
