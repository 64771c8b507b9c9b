-- migrate: outside a transaction
-- These tables have an index by merchant and time, which finds the newest rows too. An insert spent as much on the BRIN
-- index as on a B-tree that grows at one place for each merchant (docs/decisions/054).
DROP INDEX CONCURRENTLY IF EXISTS "orders_created_at_idx";
DROP INDEX CONCURRENTLY IF EXISTS "rewards_created_at_idx";
DROP INDEX CONCURRENTLY IF EXISTS "deliveries_created_at_idx";
