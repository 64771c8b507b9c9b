import type { Check } from '@rewardhook/rewards';
import type { DateTime, Page } from './answer.ts';

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
  /** What was paid for what is still ordered: `paid_amount` without the products that were cancelled. */
  paid_now: number;
  /** Whether each of its products is cancelled: the order then counts as cancelled. */
  every_product_cancelled: boolean;
  shipping_amount: number;
  order_date: DateTime;
  first_order: boolean;
  paid_at: DateTime | null;
  cancelled_at: DateTime | null;
  returned_at: DateTime | null;
  items: OrderItemView[];
  created_at: DateTime;
  updated_at: DateTime;
}

/** `last_reason`: of its newest judgement, null when it was never judged. */
export type OrderListItem = Omit<OrderView, 'items'> & { items_count: number; last_reason: string | null };

export type OrderPage = Page<OrderListItem>;

/** Something that happened to an order. `what` tells which further fields there are, as in the explain call. */
export interface HappeningView {
  at: DateTime;
  what: string;
  [detail: string]: unknown;
}

/** Why an order earned what it did: as GET /api/open/orders/{order_id}/explain/ answers. */
export interface OrderExplanation {
  order_id: string;
  member_id: string;
  version: number;
  referral: {
    id: string;
    referrer_member_id: string;
    referee_member_id: string;
    linked_at: DateTime;
  } | null;
  program: { id: string; version: number };
  waits_for_judgement: boolean;
  /** How the newest state is judged now. */
  verdict: { outcome: string; reason: string; checks: Check[] };
  /** "It would earn … if …", or null. */
  counterfactual: string | null;
  /** Oldest first. */
  story: HappeningView[];
}

/** GET /orders/:order_id (percent-encoded). */
export interface OrderAnswer {
  order: OrderView;
  story: OrderExplanation;
}
