/**
 * Seconds to wait before attempt 1, 2, …, 11 of a delivery: 75 h in all, the horizon and the shape of the
 * Standard Webhooks recommendation.
 */
export const retrySchedule: readonly number[] = [
  0, 5, 60, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400,
];

/** The longest `Retry-After` that is honoured: 24 h. */
export const maxRetryAfterSeconds = 86_400;

/** Jitter never makes a retry earlier, and at most this part later. */
const jitter = 0.1;

/** What decides the next attempt. `random` gives 0 … 1 (exclusive), `Math.random` unless told. */
export type NextDelayInput = {
  attemptsMade: number;
  retryAfterSeconds?: number | undefined;
  /** Replaces the 75 h. */
  horizonMs?: number | undefined;
  random?: (() => number) | undefined;
};

/**
 * Whole milliseconds to wait before the next attempt, or undefined when the schedule is used up. The
 * receiver's `Retry-After` counts when it is longer than the schedule (up to 24 h). Up to 10 % is added so
 * that retries of one outage do not come back in step.
 */
export function nextDelayMs(input: NextDelayInput): number | undefined {
  const { attemptsMade, retryAfterSeconds = 0, random = Math.random } = input;
  const scheduled = retrySchedule[attemptsMade];
  if (scheduled === undefined) return undefined;
  const seconds = Math.max(scheduled, Math.min(retryAfterSeconds, maxRetryAfterSeconds));
  return Math.ceil(seconds * 1000 * (1 + jitter * random()));
}
