import type { AddressInfo } from 'node:net';
import { Queue } from 'bullmq';
import express from 'express';
import { Redis } from 'ioredis';
import Joi from 'joi';
import { serveTask } from '../tasks/serve-task.ts';
import { queueName } from './plan.ts';
import type { NaivePlan } from './plan.ts';

const text = Joi.string().max(255).required();
const amount = Joi.number().integer().min(0).required();
const date = Joi.string().isoDate();
const item = Joi.object({
  product_id: text,
  product_name: text,
  quantity: Joi.number().integer().min(1).required(),
  price: amount,
  paid_amount: amount,
  sku: Joi.string().max(255).allow('').default(''),
  cancelled_at: date.allow(null).default(null),
});
const order = Joi.object({
  order_id: text,
  member_id: text,
  order_amount: amount,
  paid_amount: amount,
  shipping_amount: amount,
  order_date: date.required(),
  first_order: Joi.boolean().default(false),
  paid_at: date.allow(null).default(null),
  cancelled_at: date.allow(null).default(null),
  returned_at: date.allow(null).default(null),
  currency: Joi.string().length(3).allow(null).default(null),
  updated_at: date.allow(null).default(null),
  items: Joi.array().items(item).default([]),
});
const body = Joi.object({ orders: Joi.array().items(order).min(1).required() });

// The API of the naive implementation: Joi, one job per order, 202.
serveTask<NaivePlan, { url: string }, null>(async ({ redisUrl, secretKey }) => {
  const queue = new Queue(queueName, { connection: new Redis(redisUrl, { maxRetriesPerRequest: null }) });
  const app = express();
  app.use(express.json({ limit: '10mb' }));
  app.post('/api/open/orders/sync/', async (request, response) => {
    if (request.get('x-service-key') !== secretKey)
      return void response.status(401).json({ code: 'invalid_api_key' });
    const { error, value } = body.validate(request.body, { abortEarly: false });
    if (error) return void response.status(400).json({ code: 'invalid_request', params: error.details });
    const { orders } = value as { orders: object[] };
    await queue.addBulk(
      orders.map((data) => ({ name: 'order', data, opts: { attempts: 5, removeOnComplete: true } })),
    );
    response.status(202).json({ data: { accepted_count: orders.length } });
  });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return { ready: { url: `http://127.0.0.1:${port}/api/open/orders/sync/` }, call: async () => null };
});
