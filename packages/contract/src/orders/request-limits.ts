/**
 * The limits of a request with orders. They are so small that a request is one ordinary job and delays nobody. The clients split
 * by all of them.
 */
export const requestLimits = {
  orders: 1_000,
  /** Of all orders of a request together. */
  products: 10_000,
  productsOfOrder: 1_000,
  /** Of the body, decompressed. */
  bodyBytes: 2_097_152,
} as const;
