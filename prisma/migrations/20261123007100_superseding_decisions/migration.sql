-- migrate: outside a transaction
-- Decisions that superseded another one, by time: the pruner deletes the superseded ones.
DROP INDEX CONCURRENTLY IF EXISTS "decisions_superseding_idx";
CREATE INDEX CONCURRENTLY "decisions_superseding_idx" ON "decisions"("created_at") WHERE (number > 1);
