/**
 * Seconds to wait before attempt 1, 2, …, 11 of a delivery: 75 h in all, the horizon and the shape of the recommendation
 * of Standard Webhooks.
 */
export const retrySchedule: readonly number[] = [
  0, 5, 60, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400,
];

/** The longest `Retry-After` that is honoured: 24 h. */
const maxRetryAfterSeconds = 86_400;

/** Jitter never makes a retry earlier, and delays it by at most this fraction. */
const jitter = 0.1;

/** Interval of the retries after the last one of the schedule. */
const longStepSeconds = 86_400;

/** The schedule's "75 h" are 75 h 36 min: a horizon may be exceeded by this factor, so that 75 h includes all of it. */
const horizonTolerance = 1.01;

/** What decides the next attempt. `random` returns 0 … 1 (exclusive); default `Math.random`. */
export type NextDelayInput = {
  attemptsMade: number;
  retryAfterSeconds?: number | undefined;
  /** The endpoint's own horizon in ms; default the 75 h of the schedule. */
  horizonMs?: number | undefined;
  random?: (() => number) | undefined;
};

/**
 * Whole milliseconds to wait before the next attempt, or undefined when there is none. The receiver's `Retry-After` applies
 * when it is longer than the schedule (up to 24 h). Up to 10 % is added, so that the retries of one outage are spread.
 *
 * With a `horizonMs`, attempts are made as long as the schedule puts them within it, counted from the first one without
 * jitter and `Retry-After`. A shorter horizon ends the schedule earlier, a longer one continues it in steps of 24 h.
 */
export function nextDelayMs(input: NextDelayInput): number | undefined {
  const { attemptsMade, retryAfterSeconds = 0, horizonMs, random = Math.random } = input;
  const scheduled = retrySchedule[attemptsMade] ?? longStepSeconds;
  const ended =
    horizonMs === undefined
      ? attemptsMade >= retrySchedule.length
      : offsetSeconds(attemptsMade) * 1000 > horizonMs * horizonTolerance;
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

/** The forms of an HTTP date (RFC 9110, 5.6.7): IMF-fixdate, RFC 850, asctime. */
const httpDate = /^[A-Z][a-z]{2,8},? [\w: -]{10,30}$/;

/**
 * The seconds of a `Retry-After` header (RFC 9110, 10.2.3), which holds seconds or an HTTP date: more than 0 and at most
 * 86,400 (24 h). Undefined when the header is absent or invalid, zero or in the past.
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : secondsUntil(text, nowMs);
  return seconds > 0 ? Math.min(seconds, maxRetryAfterSeconds) : undefined;
}

function secondsUntil(text: string, nowMs: number): number {
  if (!httpDate.test(text)) return 0;
  // The asctime form has no time zone and means GMT; Date.parse would read it as local time.
  const then = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`);
  return Number.isNaN(then) ? 0 : Math.ceil((then - nowMs) / 1000);
}
