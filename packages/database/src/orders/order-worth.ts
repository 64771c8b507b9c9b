/*
 * What remains of an order when products were cancelled one by one, in SQL. It is defined by `countsAsPaid`, `paidNow`
 * and `cancellationOf` of @rewardhook/rewards; order-worth.integration.test.ts compares the two.
 */

/**
 * The columns of {@link ItemColumns}. Products are unpacked only when one of them is cancelled.
 */
export function itemColumns(order: string): string {
  const { items, itemsCancelled } = itemExpressions(order);
  return `${items} AS items, ${itemsCancelled} AS "itemsCancelled"`;
}

/** The expressions of {@link itemColumns}. */
export const itemExpressions = (order: string): Record<keyof ItemColumns, string> => ({
  items: `jsonb_array_length(${order}.items)`,
  itemsCancelled: `CASE WHEN ${order}.items @? '$[*].cancelled_at ? (@ != null)' THEN (
    SELECT jsonb_build_array(count(item ->> 'cancelled_at'),
      coalesce(sum((item ->> 'paid_amount')::bigint) FILTER (WHERE item ->> 'cancelled_at' IS NULL), 0))
    FROM jsonb_array_elements(${order}.items) AS item) END`,
});

export interface ItemColumns {
  /** The number of products. */
  items: number;
  /** The number of cancelled products and what was paid for the others; null when none is cancelled. */
  itemsCancelled: [number, number] | null;
}

/** Converts {@link ItemColumns} to the products of an `OrderState`. */
export function itemsOf({ items, itemsCancelled }: ItemColumns) {
  return { count: items, cancelled: itemsCancelled?.[0] ?? 0, paidForRest: itemsCancelled?.[1] ?? 0 };
}

/**
 * A condition: the order is paid, and neither cancelled, in full or product by product, nor returned. The index of paid orders
 * has the same one (schema.prisma): a statement with another spelling does not use it.
 */
export const countsAsPaid = (order: string): string => `(
  ${order}.paid_at IS NOT NULL AND ${order}.cancelled_at IS NULL AND ${order}.returned_at IS NULL
  AND (${order}.items = '[]' OR ${order}.items @? '$[*] ? (!exists(@.cancelled_at ? (@ != null)))'))`;
