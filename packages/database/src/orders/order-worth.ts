/**
 * What products that were cancelled one by one leave of an order, in SQL. The definition is `countsAsPaid`, `paidNow` and
 * `cancellationOf` of @rewardhook/rewards; `order-worth.test.ts` compares the two.
 */

/**
 * Columns `items`, the number of products, and `items_cancelled`: how many of them are cancelled and what was paid for the
 * others, or null where none is. Products are unpacked only where one is cancelled.
 */
export const itemColumns = (order: string): string => `
  jsonb_array_length(${order}.items) AS items,
  CASE WHEN ${order}.items @? '$[*].cancelled_at ? (@ != null)' THEN (
    SELECT jsonb_build_array(count(item ->> 'cancelled_at'),
      coalesce(sum((item ->> 'paid_amount')::bigint) FILTER (WHERE item ->> 'cancelled_at' IS NULL), 0))
    FROM jsonb_array_elements(${order}.items) AS item) END AS items_cancelled`;

/** The columns of `itemColumns` as they come. */
export interface ItemColumns {
  items: number;
  items_cancelled: [number, number] | null;
}

/** The products of an order as the rules look at them. */
export function itemFacts({ items, items_cancelled: cancelled }: ItemColumns) {
  return { count: items, cancelled: cancelled?.[0] ?? 0, paidForRest: cancelled?.[1] ?? 0 };
}

/** A condition: the order is paid, and neither cancelled, as a whole or product by product, nor returned. */
export const countsAsPaid = (order: string): string => `(
  ${order}.paid_at IS NOT NULL AND ${order}.cancelled_at IS NULL AND ${order}.returned_at IS NULL
  AND (${order}.items = '[]' OR ${order}.items @? '$[*] ? (!exists(@.cancelled_at ? (@ != null)))'))`;
