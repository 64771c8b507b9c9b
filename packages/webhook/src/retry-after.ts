import { maxRetryAfterSeconds } from './retry-schedule.ts';

/** The shapes of an HTTP date (RFC 9110, 5.6.7): IMF-fixdate, RFC 850, asctime. */
const httpDate = /^[A-Z][a-z]{2,8},? [\w: -]{10,30}$/;

/**
 * Seconds to wait by a `Retry-After` header (RFC 9110, 10.2.3), given as seconds or as an HTTP date: more
 * than 0 and at most 86,400 (24 h). Undefined when absent, not understood, zero or in the past.
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : secondsUntil(text, nowMs);
  return seconds > 0 ? Math.min(seconds, maxRetryAfterSeconds) : undefined;
}

function secondsUntil(text: string, nowMs: number): number {
  if (!httpDate.test(text)) return 0;
  // The asctime form names no zone; it means GMT, and Date.parse would take it as local time.
  const then = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`);
  return Number.isNaN(then) ? 0 : Math.ceil((then - nowMs) / 1000);
}
