import Joi from 'joi';
import { pageFields, textField } from '@rewardhook/contract';
import type { PageQuery } from '@rewardhook/contract';
import { explainOrder, findOrderDetails, readOrderOutcomes } from '@rewardhook/database';
import { JsonText, toJsonText } from '@rewardhook/process';
import type { OrderPage } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound } from '../http/console-error.ts';
import { route } from '../http/route.ts';
import { filterByMember } from './filter-by-member.ts';
import { listOrders } from './list-orders.ts';

interface Query extends PageQuery {
  order_id?: string;
  member_id?: string;
}

/** GET /orders */
export const showOrders = (dependencies: ConsoleDependencies) =>
  route<undefined, Query>(
    'viewer',
    'GET',
    '/orders',
    ({ merchantId, query: { order_id: orderId, member_id: memberId, ...page } }): Promise<OrderPage> =>
      filterByMember(dependencies.database, merchantId, memberId, (filter) =>
        listOrders(dependencies, merchantId, { orderId, ...filter }, page),
      ),
    { query: Joi.object<Query>({ order_id: textField(255), member_id: textField(255), ...pageFields }) },
  );

/** Products on the page of an order. The API returns all of them. */
const mostProducts = 100;

/** GET /orders/:order_id: an `OrderResponse`: the stored data, the explanation, and what became of it. */
export const showOrder = ({ database }: ConsoleDependencies) =>
  route('viewer', 'GET', '/orders/:order_id', async ({ merchantId, params }) => {
    const orderId = String(params['order_id']);
    const explanation = await explainOrder(database, merchantId, orderId);
    const order = await findOrderDetails(database, merchantId, orderId, { most: mostProducts });
    const outcome = (await readOrderOutcomes(database, merchantId, [orderId])).get(orderId);
    if (!order || !explanation || !outcome) throw notFound();
    return toJsonText({
      order: toJsonText({ ...order, items: new JsonText(order.items) }),
      explanation,
      outcome,
    });
  });
