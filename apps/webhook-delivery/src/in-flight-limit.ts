/** What an answer says of how loaded a receiver is. */
export interface Answer {
  /** Whether it was a success. */
  delivered: boolean;
  /** Whether it says that this was too much: a time-out, a broken connection, 429, 502, 503 or 504. */
  overloaded: boolean;
  /** From the start of the request to the end of the answer. */
  milliseconds: number;
  /** Requests that were in flight when it started, this one included. */
  inFlight: number;
  /** When it started, as `performance.now()`. */
  startedAt: number;
}

/** The adaptive limit of requests in flight to one endpoint. */
export interface InFlightLimit {
  /** Whole requests. */
  value(): number;
  learn(answer: Answer): void;
}

/** An answer that takes so many times as long as the fastest ones do, and so much more, is a sign of a queue. */
const slowFactor = 3;
const slowMoreMs = 200;
/** How much the fastest answer is forgotten with each answer, so that a receiver may become slower for good. */
const forgetting = 1.005;

/**
 * Grows by one with each success that used the limit up, until the first sign of overload, and then by one a round
 * (additive increase); is halved by an overloaded answer and lowered by a tenth when answers become slow
 * (multiplicative decrease), at most once for the requests of one round.
 */
export function openInFlightLimit(start: number, most: number): InFlightLimit {
  let limit = Math.min(start, most);
  let probing = true;
  let fastestMs = Infinity;
  let cutAt = -Infinity;

  const cut = (factor: number, startedAt: number) => {
    probing = false;
    if (startedAt < cutAt) return;
    limit = Math.max(1, limit * factor);
    cutAt = performance.now();
  };
  return {
    value: () => Math.max(1, Math.floor(limit)),
    learn({ delivered, overloaded, milliseconds, inFlight, startedAt }) {
      if (overloaded) return cut(0.5, startedAt);
      if (!delivered) return;
      fastestMs = Math.min(fastestMs * forgetting, milliseconds);
      if (inFlight > 1 && milliseconds > fastestMs * slowFactor + slowMoreMs) return cut(0.9, startedAt);
      if (inFlight >= Math.floor(limit)) limit = Math.min(most, limit + (probing ? 1 : 1 / limit));
    },
  };
}
