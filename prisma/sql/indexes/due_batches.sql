-- On an expression, which Prisma cannot express. An order is parked once, however often its evaluation fails.
CREATE UNIQUE INDEX due_batches_parked_key ON due_batches (merchant_id, (order_ids[1])) WHERE parked_at IS NOT NULL;
