/** A product of an order in canonical form: defaults filled in, unknown fields dropped. Money is integer won. */
export interface OrderItem {
  product_id: string;
  product_name: string;
  quantity: number;
  price: number;
  paid_amount: number;
  sku: string;
  cancelled_at: string | null;
}

/**
 * An order in canonical form: defaults filled in, unknown fields dropped. Money is integer won; date-times are
 * ISO 8601 with an offset and at most 6 fraction digits, as `readDateTime` gives them.
 */
export interface Order {
  order_id: string;
  member_id: string;
  order_amount: number;
  paid_amount: number;
  shipping_amount: number;
  order_date: string;
  first_order: boolean;
  paid_at: string | null;
  cancelled_at: string | null;
  returned_at: string | null;
  items: OrderItem[];
}

/** A canonical order whose items are not looked at yet. */
export interface OrderHead extends Omit<Order, 'items'> {
  items: readonly unknown[];
}
