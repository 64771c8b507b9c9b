-- migrate: outside a transaction
-- The newest orders of a merchant, for the console. Each statement that stores orders adds its keys side by side: they have
-- the same merchant and time (docs/decisions/054).
DROP INDEX CONCURRENTLY IF EXISTS "orders_merchant_id_created_at_idx";
CREATE INDEX CONCURRENTLY "orders_merchant_id_created_at_idx" ON "orders"("merchant_id", "created_at");
