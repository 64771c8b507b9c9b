import type { OrderExplanation } from '@rewardhook/rewards';
import type { DateTime, PageOfMember } from './response.ts';

/** GET /orders, newest stored first; `order_id` and `member_id` exactly. */
export interface OrderQuery {
  order_id?: string;
  member_id?: string;
  after?: string;
  limit?: number;
}

export interface OrderItemView {
  product_id: string;
  product_name: string;
  quantity: number;
  price: number;
  paid_amount: number;
  sku: string;
  cancelled_at: string | null;
}

/** An order in its newest stored state. Amounts are won. */
export interface OrderView {
  order_id: string;
  member_id: string;
  order_amount: number;
  paid_amount: number;
  /** The paid amount of the products that are not cancelled. */
  paid_now: number;
  /** Whether each of its products is cancelled: the order then counts as cancelled. */
  every_product_cancelled: boolean;
  shipping_amount: number;
  order_date: DateTime;
  first_order: boolean;
  paid_at: DateTime | null;
  cancelled_at: DateTime | null;
  /** ISO 4217, or the text that was sent in its place. The amounts of a currency other than won are in its units. */
  currency: string;
  returned_at: DateTime | null;
  /** The first 100. */
  items: OrderItemView[];
  items_count: number;
  created_at: DateTime;
  updated_at: DateTime;
}

/** `last_reason` is that of the newest decision; null if the order was never evaluated, or last for another member. */
export type OrderListItem = Omit<OrderView, 'items'> & { last_reason: string | null };

export type OrderPage = PageOfMember<OrderListItem>;

/** The explanation that GET /api/open/orders/{order_id}/explain/ returns. */
export type { OrderExplanation, TimelineEntry as TimelineEntryView } from '@rewardhook/rewards';

/** GET /orders/:order_id (percent-encoded). */
export interface OrderResponse {
  order: OrderView;
  explanation: OrderExplanation;
}
