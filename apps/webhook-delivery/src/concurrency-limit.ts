/** What one attempt shows about the load of its receiver. */
export interface LoadSample {
  delivered: boolean;
  /** Whether the receiver is overloaded: a timeout, a broken connection, 429, 502, 503 or 504. */
  overloaded: boolean;
  /** Requests in flight when it started, including this one. */
  inFlight: number;
  /** When it started, as `performance.now()`. */
  startedAt: number;
}

/** The adaptive limit of requests in flight to one endpoint. */
export interface ConcurrencyLimit {
  /** The current limit: at least 1. */
  value(): number;
  observe(sample: LoadSample): void;
}

/**
 * Opens a limit that starts at `start` and stays between 1 and `max`. A success that used it fully raises it by one; an
 * overloaded receiver halves it, once for the requests that had started before.
 */
export function openConcurrencyLimit(start: number, max: number): ConcurrencyLimit {
  let limit = Math.min(start, max);
  let halvedAt = -Infinity;
  return {
    value: () => limit,
    observe({ delivered, overloaded, inFlight, startedAt }) {
      if (overloaded && startedAt >= halvedAt) {
        limit = Math.max(1, Math.floor(limit / 2));
        halvedAt = performance.now();
      } else if (delivered && inFlight >= limit) limit = Math.min(max, limit + 1);
    },
  };
}
