import type { Check, Counterfactual } from '@rewardhook/rewards';
import type { DateTime, Page } from './response.ts';

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

/** `last_reason`: of its newest decision, null when it was never evaluated, or last for another member. */
export type OrderListItem = Omit<OrderView, 'items'> & { items_count: number; last_reason: string | null };

export type OrderPage = Page<OrderListItem>;

/** Something that happened to an order. `what` tells which further fields there are, as in the explain call. */
export interface TimelineEntryView {
  at: DateTime;
  what: string;
  [detail: string]: unknown;
}

/** What an evaluation comes to. */
export interface EvaluationView {
  outcome: string;
  reason: string;
  checks: Check[];
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
  /** The version of the program that `decision` was made under. */
  program: { id: string; version: number };
  waits_for_judgement: boolean;
  /** Since when its evaluation is set aside, because it failed repeatedly; null when it is not. */
  evaluation_failed_since: DateTime | null;
  /** The newest decision; of an order that was never evaluated, the decision that an evaluation would make now. */
  decision: EvaluationView;
  /** The stored row of `decision`; null when nothing is stored. */
  stored_decision: {
    number: number;
    decided_at: DateTime;
    order_version: number;
    program_version: number;
  } | null;
  /** How the newest state would be evaluated now. */
  today: EvaluationView & { program: { id: string; version: number } };
  /** "It would earn … if …" in English, as of today, or null. */
  counterfactual: string | null;
  /** The same as codes and parameters. */
  counterfactual_parts: Counterfactual | null;
  /** Oldest first. */
  timeline: TimelineEntryView[];
}

/** GET /orders/:order_id (percent-encoded). */
export interface OrderResponse {
  order: OrderView;
  explanation: OrderExplanation;
}
