import Joi from 'joi';
import { explainOrder, readOrder, searchOrders } from '@rewardhook/database';
import type { OrderAnswer, OrderItemView, OrderPage } from '../api-types.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { notFound } from '../http/console-error.ts';
import { pageFields, text } from '../http/fields.ts';
import type { PageQuery } from '../http/fields.ts';
import { route } from '../http/route.ts';

interface Query extends PageQuery {
  order_id?: string;
  member_id?: string;
}

/** GET /orders */
export const showOrders = ({ database }: ConsoleParts) =>
  route<undefined, Query>(
    'viewer',
    'GET',
    '/orders',
    ({ merchantId, query: { order_id: orderId, member_id: memberId, ...page } }): Promise<OrderPage> =>
      searchOrders(database, merchantId, { orderId, memberId }, page),
    { query: Joi.object<Query>({ order_id: text(255), member_id: text(255), ...pageFields }) },
  );

/** GET /orders/:order_id: the stored data, and the story. */
export const showOrder = ({ database }: ConsoleParts) =>
  route('viewer', 'GET', '/orders/:order_id', async ({ merchantId, params }): Promise<OrderAnswer> => {
    const orderId = String(params['order_id']);
    const [order, story] = await Promise.all([
      readOrder(database, merchantId, orderId),
      explainOrder(database, merchantId, orderId),
    ]);
    if (!order || !story) throw notFound();
    return { order: { ...order, items: order.items as unknown as OrderItemView[] }, story };
  });
