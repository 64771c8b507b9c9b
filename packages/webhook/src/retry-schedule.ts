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

/** Step of a schedule that goes on after the last one above. */
const longStepSeconds = 86_400;

/** The schedule's "75 h" are 75 h 36 min: a horizon may be passed by so much, so that 75 h means all of it. */
const horizonSlack = 1.01;

/** What decides the next attempt. `random` gives 0 … 1 (exclusive), `Math.random` unless told. */
export type NextDelayInput = {
  attemptsMade: number;
  retryAfterSeconds?: number | undefined;
  /** An endpoint's own horizon in ms; the schedule's 75 h unless told. */
  horizonMs?: number | undefined;
  random?: (() => number) | undefined;
};

/**
 * Whole milliseconds to wait before the next attempt, or undefined when there is none. The receiver's
 * `Retry-After` counts when it is longer than the schedule (up to 24 h). Up to 10 % is added so that retries
 * of one outage do not come back in step.
 *
 * With a `horizonMs`, attempts are made as long as the schedule puts them within it, counted from the first
 * one without jitter and `Retry-After`: a shorter horizon ends the schedule earlier, a longer one goes on in
 * steps of 24 h.
 */
export function nextDelayMs(input: NextDelayInput): number | undefined {
  const { attemptsMade, retryAfterSeconds = 0, horizonMs, random = Math.random } = input;
  const scheduled = retrySchedule[attemptsMade] ?? longStepSeconds;
  const ended =
    horizonMs === undefined
      ? attemptsMade >= retrySchedule.length
      : offsetSeconds(attemptsMade) * 1000 > horizonMs * horizonSlack;
  if (ended) return undefined;
  const seconds = Math.max(scheduled, Math.min(retryAfterSeconds, maxRetryAfterSeconds));
  return Math.ceil(seconds * 1000 * (1 + jitter * random()));
}

/** When the attempt after `attemptsMade` others is due, in seconds after the first. */
function offsetSeconds(attemptsMade: number): number {
  const beyond = Math.max(0, attemptsMade - (retrySchedule.length - 1));
  return retrySchedule
    .slice(0, attemptsMade + 1)
    .reduce((sum, seconds) => sum + seconds, beyond * longStepSeconds);
}
