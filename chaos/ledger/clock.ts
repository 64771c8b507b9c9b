/** How far the monotonic clock may be away from the clock of the machine before it follows it, in milliseconds. */
const driftMs = 2;

let origin = performance.timeOrigin;
let last = 0;

/**
 * Milliseconds since 1970, which never go back: the moments of the ledger are compared with one another. They follow the clock of the machine,
 * which is adjusted while a run lasts, since they are also compared with times of the service.
 */
export function now(): number {
  const monotonic = performance.now();
  const wall = Date.now();
  if (Math.abs(origin + monotonic - wall) > driftMs) origin = wall - monotonic;
  last = Math.max(last, origin + monotonic);
  return last;
}

/** How far the clocks of the harness and of PostgreSQL may differ, in milliseconds. They are those of one machine. */
export const clockTolerance = 100;
