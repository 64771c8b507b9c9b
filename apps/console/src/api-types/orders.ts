import type { Answer } from '@rewardhook/contract';
import type { OrderListRow, OrderOutcome, OrderSearch } from '@rewardhook/database';
import type { OrderExplanation, ReasonCode } from '@rewardhook/rewards';
import type { DateTime } from './response.ts';

/** Which orders to list: with exactly these ids; with `search`, by the beginning of their id in any case, in the order of the ids. */
export interface OrderFilter {
  order_id?: string;
  member_id?: string;
  search?: string;
  state?: OrderState;
  decision?: OrderDecision;
  /** `all`: those that the figures count; `first`: the first one of each referral. Newest order date first. */
  referred?: 'all' | 'first';
  /** When it was first received, of `referred` ones the order date: from inclusive, until exclusive. */
  from?: DateTime;
  until?: DateTime;
}

export type OrderState = NonNullable<OrderSearch['state']>;

/** The reason of the decision about an order, or why there is none. */
export type OrderDecision = ReasonCode | 'no_referrer' | 'evaluating' | 'stopped';

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
