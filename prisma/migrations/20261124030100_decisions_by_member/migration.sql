-- migrate: outside a transaction
-- The decisions about a member, for their erasure.
DROP INDEX CONCURRENTLY IF EXISTS "decisions_merchant_id_member_id_idx";
CREATE INDEX CONCURRENTLY "decisions_merchant_id_member_id_idx" ON "decisions"("merchant_id", "member_id");
