import type { Answer } from '@rewardhook/contract';
import type { OrderListRow, OrderOutcome } from '@rewardhook/database';
import type { OrderExplanation } from '@rewardhook/rewards';

/** Which orders to list: with exactly these ids; with `search`, by the beginning of their id in any case, in the order of the ids. */
export interface OrderFilter {
  order_id?: string;
  member_id?: string;
  search?: string;
}

export type {
  CostRow,
  FiguresRow,
  NewestReward,
  OrderOutcome,
  OutcomeReward,
  Sending,
} from '@rewardhook/database';

/** An order of a list, with what became of it. */
export type OrderListItem = OrderListRow & { outcome: OrderOutcome };

/** The explanation that GET /api/open/orders/{order_id}/explain/ returns. */
export type { OrderExplanation, TimelineEntry as TimelineEntryView } from '@rewardhook/rewards';

/** An order in its newest stored state, with the first 100 of its items. */
export type OrderView = Answer<'StoredOrder'> & { items_count: number };

export interface OrderResponse {
  order: OrderView;
  outcome: OrderOutcome;
  explanation: OrderExplanation;
}
