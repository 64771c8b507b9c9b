-- migrate: outside a transaction
-- The rewards that were confirmed, and those that ended, in a time, for the home page of the console.
DROP INDEX CONCURRENTLY IF EXISTS "rewards_confirmed_idx";
CREATE INDEX CONCURRENTLY "rewards_confirmed_idx" ON "rewards"("merchant_id", "confirmed_at") WHERE (confirmed_at IS NOT NULL);
DROP INDEX CONCURRENTLY IF EXISTS "rewards_ended_idx";
CREATE INDEX CONCURRENTLY "rewards_ended_idx" ON "rewards"("merchant_id", "ended_at") WHERE (ended_at IS NOT NULL);
