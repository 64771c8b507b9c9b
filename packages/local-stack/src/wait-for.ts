import { setTimeout } from 'node:timers/promises';
import { scaled } from './time-scale.ts';

/** The deadline and the interval between checks, in milliseconds. */
export interface WaitOptions {
  /** On an idle machine: see `scaled`. */
  deadlineMs?: number;
  everyMs?: number;
  /** Names the condition in the error message. */
  what?: string;
}

/**
 * Calls `check` until it returns a truthy value, and returns that. An error of `check` counts as a falsy value.
 * @throws when the deadline (default 10 s) passes, with the last error of `check` as its cause
 */
export async function waitFor<T>(
  check: () => T | Promise<T>,
  { deadlineMs = 10_000, everyMs = 25, what = 'the condition' }: WaitOptions = {},
): Promise<NonNullable<T>> {
  const longestMs = scaled(deadlineMs);
  const end = performance.now() + longestMs;
  let cause: unknown;
  for (;;) {
    try {
      const found = await check();
      if (found) return found;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (performance.now() >= end) {
      const reason = cause instanceof Error ? `: ${cause.message}` : '';
      throw new Error(`timed out after ${longestMs} ms waiting for ${what}${reason}`, { cause });
    }
    await setTimeout(everyMs);
  }
}
