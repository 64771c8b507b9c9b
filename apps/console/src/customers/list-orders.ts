import { listOrdersPage, readOrderOutcomes } from '@rewardhook/database';
import type { OrderOutcome } from '@rewardhook/database';
import type { OrderListItem, Page } from '../api-types.ts';

/** Of an order that was deleted since its list was read. */
const nothing: OrderOutcome = { state: 'no_referrer', rewards: [], more_rewards: 0, referred_revenue: null };

/** A page of orders, each with what became of it. @throws CursorError */
export async function listOrders(
  ...[database, merchantId, search, page]: Parameters<typeof listOrdersPage>
): Promise<Page<OrderListItem>> {
  const { items, ...rest } = await listOrdersPage(database, merchantId, search, page);
  const outcomes = await readOrderOutcomes(
    database,
    merchantId,
    items.map((order) => order.order_id),
  );
  return {
    items: items.map((order) => ({ ...order, outcome: outcomes.get(order.order_id) ?? nothing })),
    ...rest,
  };
}
