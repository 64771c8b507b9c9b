/** Milliseconds since 1970, which never go back: the moments of the ledger are compared with one another. */
export const now = (): number => performance.timeOrigin + performance.now();

/** How far the clocks of the harness and of PostgreSQL may differ, in milliseconds. They are those of one machine. */
export const clockTolerance = 100;
