import { Client } from 'pg';
import { upsertOrdersSql } from '@rewardhook/database';
import { makeOrders } from '../load/make-orders.ts';
import type { OrdersPlan } from '../load/make-orders.ts';
import { serveTask } from '../tasks/serve-task.ts';

export interface UpsertLoopPlan extends OrdersPlan {
  databaseUrl: string;
  merchantId: string;
  /** Orders in a statement. */
  batch: number;
}

// The project's own upsert on the same data, statement after statement on one connection, and nothing else.
serveTask<UpsertLoopPlan, null, { ordersPerSecond: number }>(async (plan) => {
  const client = new Client({ connectionString: plan.databaseUrl });
  await client.connect();
  const batches: object[][] = [];
  for (let from = 0; from < plan.orders; from += plan.batch) {
    const orders = makeOrders(plan, from, Math.min(from + plan.batch, plan.orders));
    batches.push([{ merchantId: plan.merchantId, version: from + 1, orders }]);
  }
  return {
    ready: null,
    async call() {
      const started = performance.now();
      // The ceiling of versions is never below 0, so nothing is refused.
      for (const orders of batches) await client.query(upsertOrdersSql, [JSON.stringify(orders), 0]);
      return { ordersPerSecond: plan.orders / ((performance.now() - started) / 1_000) };
    },
  };
});
