/** What one attempt shows about the load of its receiver. */
export interface LoadSample {
  /** Whether the attempt succeeded. */
  delivered: boolean;
  /** Whether the receiver is overloaded: a timeout, a broken connection, 429, 502, 503 or 504. */
  overloaded: boolean;
  /** From the start of the request to the end of the response. */
  milliseconds: number;
  /** Requests in flight when it started, including this one. */
  inFlight: number;
  /** When it started, as `performance.now()`. */
  startedAt: number;
}

/** The adaptive limit of requests in flight to one endpoint. */
export interface ConcurrencyLimit {
  /** The current limit: an integer, at least 1. */
  value(): number;
  observe(sample: LoadSample): void;
}

/**
 * A response that takes more than three times as long as the fastest ones, plus a margin, has waited in a queue of the receiver or
 * of this process. With the small margin the limit does not grow, because more requests would only wait longer; with the large one
 * the response is slow, and the limit is lowered.
 */
const waitingFactor = 3;
const waitingMarginMs = 10;
const slowMarginMs = 200;
/**
 * The fastest response time grows by this factor with each response, so that a receiver may become permanently
 * slower.
 */
const fastestDecay = 1.005;

/**
 * Opens a limit that starts at `start` and stays between 1 and `max`.
 *
 * Until the first sign of overload it grows by one with each success that used it fully and has not waited (slow start);
 * afterwards by one per round of such requests (additive increase). An overloaded receiver halves it, slow responses lower it by
 * a tenth (multiplicative decrease), at most once for the requests of one round.
 */
export function openConcurrencyLimit(start: number, max: number): ConcurrencyLimit {
  let limit = Math.min(start, max);
  let slowStart = true;
  let fastestMs = Infinity;
  let decreasedAt = -Infinity;

  const decrease = (factor: number, startedAt: number) => {
    slowStart = false;
    if (startedAt < decreasedAt) return;
    limit = Math.max(1, limit * factor);
    decreasedAt = performance.now();
  };

  return {
    value: () => Math.max(1, Math.floor(limit)),
    observe({ delivered, overloaded, milliseconds, inFlight, startedAt }) {
      if (overloaded) return decrease(0.5, startedAt);
      if (!delivered) return;
      fastestMs = Math.min(fastestMs * fastestDecay, milliseconds);
      const beyondMs = milliseconds - fastestMs * waitingFactor;
      if (inFlight > 1 && beyondMs > slowMarginMs) return decrease(0.9, startedAt);
      const usedFully = inFlight >= Math.floor(limit);
      if (usedFully && beyondMs <= waitingMarginMs)
        limit = Math.min(max, limit + (slowStart ? 1 : 1 / limit));
    },
  };
}
