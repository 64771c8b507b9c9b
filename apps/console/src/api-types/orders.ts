import type { Answer } from '@rewardhook/contract';
import type { OrderOutcome } from '@rewardhook/database';
import type { OrderExplanation } from '@rewardhook/rewards';
import type { PageOfMember } from './response.ts';

/** GET /orders, newest stored first; `order_id` and `member_id` exactly. */
export interface OrderQuery {
  order_id?: string;
  member_id?: string;
  after?: string;
  limit?: number;
}

/** An order in its newest stored state, as the API answers with it. The console has the first 100 of its items. */
export type OrderView = Answer<'StoredOrder'> & { items_count: number };

/** `last_reason` is that of the newest decision; null if the order was never evaluated, or last for another member. */
export type OrderListItem = Answer<'OrderListItem'> & { outcome: OrderOutcome };

export type { OrderOutcome, OutcomeReward, Sending } from '@rewardhook/database';

export type OrderPage = PageOfMember<OrderListItem>;

/** The explanation that GET /api/open/orders/{order_id}/explain/ returns. */
export type { OrderExplanation, TimelineEntry as TimelineEntryView } from '@rewardhook/rewards';

/** GET /orders/:order_id (percent-encoded). */
export interface OrderResponse {
  order: OrderView;
  outcome: OrderOutcome;
  explanation: OrderExplanation;
}
