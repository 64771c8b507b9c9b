-- migrate: outside a transaction
-- The rewards in the states that few have, for the lists of the console.
DROP INDEX CONCURRENTLY IF EXISTS "rewards_unconfirmed_idx";
CREATE INDEX CONCURRENTLY "rewards_unconfirmed_idx" ON "rewards"("merchant_id", "created_at") WHERE (state <> 'confirmed');
