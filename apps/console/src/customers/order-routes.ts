import Joi from 'joi';
import { dateTimeField, pageFields, textField } from '@rewardhook/contract';
import type { CsvCell } from '@rewardhook/contract';
import {
  explainOrder,
  findMemberFilter,
  findOrderDetails,
  orderStates,
  readOrderOutcomes,
} from '@rewardhook/database';
import { JsonText, toJsonText } from '@rewardhook/process';
import { reasonCodes } from '@rewardhook/rewards';
import type { OrderListItem } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound } from '../http/console-error.ts';
import { exportCsv } from '../http/export-csv.ts';
import type { Handlers } from '../http/route.ts';
import { filterByMember } from './filter-by-member.ts';
import { listOrders } from './list-orders.ts';

/** Products on the page of an order. The API returns all of them. */
const mostProducts = 100;

const orderFilter = {
  order_id: textField(255),
  member_id: textField(255),
  search: textField(255),
  state: Joi.string().valid(...orderStates),
  decision: Joi.string().valid('no_referrer', 'evaluating', 'stopped', ...reasonCodes),
  referred: Joi.string().valid('all', 'first'),
  from: dateTimeField(),
  until: dateTimeField(),
};

const orderCells: Record<string, (order: OrderListItem) => CsvCell> = {
  order_id: (order) => order.order_id,
  member_id: (order) => order.member_id,
  order_amount: (order) => order.order_amount,
  paid_amount: (order) => order.paid_amount,
  shipping_amount: (order) => order.shipping_amount,
  paid_now: (order) => order.paid_now,
  currency: (order) => order.currency,
  order_date: (order) => order.order_date,
  paid_at: (order) => order.paid_at,
  cancelled_at: (order) => order.cancelled_at,
  returned_at: (order) => order.returned_at,
  decision: ({ outcome, last_reason: reason }) => (outcome.state === 'decided' ? reason : outcome.state),
  referred_revenue: ({ outcome }) => outcome.referred_revenue,
};

export const orderHandlers = ({ database }: ConsoleDependencies) =>
  ({
    'GET /orders': {
      input: { ...orderFilter, ...pageFields },
      handle: ({ merchantId, input: { after, limit, order_id: orderId, member_id: memberId, ...rest } }) =>
        filterByMember(database, merchantId, memberId, (filter) =>
          listOrders(database, merchantId, { ...rest, orderId, ...filter }, { after, limit, bounded: true }),
        ),
    },

    'GET /orders.csv': {
      input: orderFilter,
      async handle({ merchantId, input, response }) {
        const { order_id: orderId, member_id: memberId, ...rest } = input;
        const { memberId: ofMember } = await findMemberFilter(database, merchantId, memberId);
        const search = { ...rest, orderId, memberId: ofMember };
        return exportCsv({ database, input, response }, 'orders.csv', orderCells, (page) =>
          listOrders(database, merchantId, search, { ...page, bounded: true }),
        );
      },
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
