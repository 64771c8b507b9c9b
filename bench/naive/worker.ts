import { PrismaPg } from '@prisma/adapter-pg';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import type { Order } from '@rewardhook/contract';
import { serveTask } from '../tasks/serve-task.ts';
import { queueName } from './plan.ts';
import type { NaivePlan } from './plan.ts';

/** The part of the generated client that is used. It is generated when the bench runs (see prepare.ts). */
interface NaiveClient {
  order: { upsert(query: { where: object; create: object; update: object }): Promise<unknown> };
}
type NaiveClientModule = { PrismaClient: new (options: { adapter: PrismaPg }) => NaiveClient };

/** The fastest of 1, 5, 10 and 20 on 2 cores. */
const concurrency = 5;

// The worker of the naive implementation: for each job one `prisma.order.upsert` with nested items. A call returns
// the number of stored orders.
serveTask<NaivePlan, null, number>(async ({ databaseUrl, redisUrl }) => {
  const generated = new URL('./generated/client.ts', import.meta.url).href;
  const { PrismaClient } = (await import(generated)) as NaiveClientModule;
  const prisma = new PrismaClient({
    adapter: new PrismaPg({ connectionString: databaseUrl, max: concurrency }),
  });
  let stored = 0;
  const worker = new Worker<Order>(
    queueName,
    async ({ data }) => {
      const { order_id: orderId, items, ...order } = data;
      const fields = {
        memberId: order.member_id,
        orderAmount: order.order_amount,
        paidAmount: order.paid_amount,
        shippingAmount: order.shipping_amount,
        orderDate: order.order_date,
        firstOrder: order.first_order,
        paidAt: order.paid_at,
        cancelledAt: order.cancelled_at,
        returnedAt: order.returned_at,
        currency: order.currency,
        updatedAt: order.updated_at,
      };
      const create = items.map((item) => ({
        productId: item.product_id,
        productName: item.product_name,
        quantity: item.quantity,
        price: item.price,
        paidAmount: item.paid_amount,
        sku: item.sku,
        cancelledAt: item.cancelled_at,
      }));
      await prisma.order.upsert({
        where: { orderId },
        create: { orderId, ...fields, items: { create } },
        update: { ...fields, items: { deleteMany: {}, create } },
      });
      stored += 1;
    },
    { connection: new Redis(redisUrl, { maxRetriesPerRequest: null }), concurrency },
  );
  await worker.waitUntilReady();
  return { ready: null, call: async () => stored };
});
