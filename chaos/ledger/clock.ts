/** Milliseconds since 1970, which never go back: the moments of the ledger are compared with one another. */
export const now = (): number => performance.timeOrigin + performance.now();
