/** A valid order as a merchant sends it, with every field present. */
export function validOrder(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    order_id: 'ORD-1',
    member_id: 'member-1',
    order_amount: 20000,
    paid_amount: 18000,
    shipping_amount: 3000,
    order_date: '2026-03-01T12:30:00+09:00',
    first_order: true,
    paid_at: '2026-03-01T12:31:00+09:00',
    cancelled_at: null,
    returned_at: null,
    currency: null,
    updated_at: null,
    items: [validItem()],
    ...overrides,
  };
}

/** A valid order item as a merchant sends it, with every field present. */
export function validItem(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    product_id: 'P-1',
    product_name: '상품 이름',
    quantity: 2,
    price: 10000,
    paid_amount: 9000,
    sku: 'SKU-1',
    cancelled_at: null,
    ...overrides,
  };
}

/** A copy without one field. */
export function without(value: Record<string, unknown>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
}
