-- migrate: outside a transaction
-- The deliveries that ended without a success, or are held, for the lists of the console.
DROP INDEX CONCURRENTLY IF EXISTS "deliveries_undelivered_idx";
CREATE INDEX CONCURRENTLY "deliveries_undelivered_idx" ON "deliveries"("merchant_id", "created_at") WHERE (state IN ('held', 'exhausted', 'cancelled'));
