import { pageFields, textField } from '@rewardhook/contract';
import { explainOrder, findOrderDetails, readOrderOutcomes } from '@rewardhook/database';
import { JsonText, toJsonText } from '@rewardhook/process';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound } from '../http/console-error.ts';
import type { Handlers } from '../http/route.ts';
import { filterByMember } from './filter-by-member.ts';
import { listOrders } from './list-orders.ts';

/** Products on the page of an order. The API returns all of them. */
const mostProducts = 100;

export const orderHandlers = ({ database }: ConsoleDependencies) =>
  ({
    'GET /orders': {
      input: { order_id: textField(255), member_id: textField(255), search: textField(255), ...pageFields },
      handle: ({ merchantId, input: { order_id: orderId, member_id: memberId, search, ...page } }) =>
        filterByMember(database, merchantId, memberId, (filter) =>
          listOrders(database, merchantId, { orderId, search, ...filter }, page),
        ),
    },

    async 'GET /orders/:order_id'({ merchantId, params: { order_id: orderId } }) {
      const explanation = await explainOrder(database, merchantId, orderId);
      const order = await findOrderDetails(database, merchantId, orderId, { most: mostProducts });
      const outcome = (await readOrderOutcomes(database, merchantId, [orderId])).get(orderId);
      if (!order || !explanation || !outcome) throw notFound();
      return toJsonText({
        order: toJsonText({ ...order, items: new JsonText(order.items) }),
        outcome,
        explanation,
      });
    },
  }) satisfies Partial<Handlers>;
