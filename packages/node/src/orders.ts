/** A product of an order to send. Amounts are integers of won, date-times ISO 8601. */
export interface OrderItemInput {
  product_id: string;
  product_name: string;
  /** 1 or more. */
  quantity: number;
  price: number;
  paid_amount: number;
  /** Null is left out, as in `first_order` and `items`. */
  sku?: string | null;
  cancelled_at?: string | null;
  /** What the rules of the program call such products by: at most 10 texts of 1 to 64 characters. */
  labels?: string[] | string | null;
}

/** An order to send, always with all of its fields. Amounts are integers of won. */
export interface OrderInput {
  order_id: string;
  /** The `userId` of the SDK's boot call. */
  member_id: string;
  order_amount: number;
  paid_amount: number;
  shipping_amount: number;
  /** ISO 8601 with an offset, such as `2026-11-21T10:00:00+09:00`. */
  order_date: string;
  first_order?: boolean | null;
  /** The order counts as paid from 5 minutes before this time. */
  paid_at?: string | null;
  cancelled_at?: string | null;
  returned_at?: string | null;
  /** ISO 4217, default `KRW`. An order with another value earns nothing. */
  currency?: string | null;
  /** What the rules of the program call such orders by: at most 20 texts of 1 to 64 characters. */
  labels?: string[] | string | null;
  /**
   * When your shop changed the order to this state, ISO 8601 with an offset; without one it is ignored. The state with the latest one
   * is stored, also if another server of yours sends an older one later.
   */
  updated_at?: string | null;
  items?: OrderItemInput[] | null;
}

/** An order that the API has refused, and that was not sent again. */
export interface InvalidOrder {
  /** In the list that was given. */
  index: number;
  /** Undefined when it is not a text. */
  order_id: string | undefined;
  /** Each invalid field by its path, such as `orders[3].items[0].quantity`, and why. */
  errors: Record<string, string>;
}

/** The result of `orders.send`. */
export interface SentOrders {
  /**
   * How many orders the API has accepted. Of several with one `order_id` in a call, only the last one is sent, or the one with the newest
   * `updated_at`.
   */
  accepted_count: number;
  /** Ids of orders of which a later call was given a newer state, so that this one was not sent, or not sent again. */
  superseded: string[];
  /** With `onInvalid: 'skip'`, the orders that were refused. */
  invalid: InvalidOrder[];
  /** Fields that are probably a mistake, such as `orders[0].paidAt`, and why. */
  warnings: Record<string, string>;
  /** The paths of the orders in `warnings`, such as `orders[0]`, and their `order_id`. */
  order_ids: Record<string, string>;
}
