-- migrate: outside a transaction
-- A merchant's decisions of a time, for the home page of the console.
DROP INDEX CONCURRENTLY IF EXISTS "decisions_merchant_id_created_at_idx";
CREATE INDEX CONCURRENTLY "decisions_merchant_id_created_at_idx" ON "decisions"("merchant_id", "created_at");
DROP INDEX CONCURRENTLY IF EXISTS "decisions_created_at_idx";
