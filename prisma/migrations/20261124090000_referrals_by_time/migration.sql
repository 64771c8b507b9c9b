-- migrate: outside a transaction
-- The list of a merchant's referrals, newest first.
DROP INDEX CONCURRENTLY IF EXISTS "referrals_merchant_id_linked_at_idx";
CREATE INDEX CONCURRENTLY "referrals_merchant_id_linked_at_idx" ON "referrals"("merchant_id", "linked_at");
