/**
 * Orders of a request: their number, and the JSON array of them, in UTF-8, as pieces that follow each other. Pieces can be
 * views of the body: it must not be freed or moved before they are copied.
 */
export interface OrdersPart {
  orders: number;
  pieces: Buffer[];
}

/** The orders of a valid request. */
export interface RequestOrders {
  /** The number of orders, with those that are sent again in the same request. */
  readonly count: number;
  /** Divides the orders into parts of at most this number of orders. Each `order_id` is in one of them, as it was sent last. */
  divide(maxOrders: number): OrdersPart[];
}

const OPENING = Buffer.from('[');
const CLOSING = Buffer.from(']');

/** Divides orders by their indexes. `piecesOf` returns the JSON of orders, separated by commas. */
export function divideOrders(
  newest: ReadonlyMap<string, number>,
  maxOrders: number,
  piecesOf: (indexes: number[]) => Buffer[],
): OrdersPart[] {
  const kept = [...newest.values()];
  const parts: OrdersPart[] = [];
  for (let start = 0; start < kept.length; start += maxOrders) {
    const indexes = kept.slice(start, start + maxOrders);
    parts.push({ orders: indexes.length, pieces: [OPENING, ...piecesOf(indexes), CLOSING] });
  }
  return parts;
}
