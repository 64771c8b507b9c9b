/*
 * What remains of an order when products were cancelled one by one, in SQL. It is defined by `countsAsPaid`, `paidNow`
 * and `cancellationOf` of @rewardhook/rewards; evaluation.integration.test.ts compares the two.
 */

/** The columns of {@link ItemColumns} of the order `o`. Products are unpacked only when one of them is cancelled. */
export const itemColumns = `jsonb_array_length(o.items) AS items,
  CASE WHEN o.items @? '$[*].cancelled_at ? (@ != null)' THEN (
    SELECT jsonb_build_array(count(item ->> 'cancelled_at'),
      coalesce(sum((item ->> 'paid_amount')::bigint) FILTER (WHERE item ->> 'cancelled_at' IS NULL), 0))
    FROM jsonb_array_elements(o.items) AS item) END AS "itemsCancelled"`;

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
