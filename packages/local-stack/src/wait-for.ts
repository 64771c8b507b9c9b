import { setTimeout } from 'node:timers/promises';

/** How long to wait and how often to look, in milliseconds. */
export interface WaitOptions {
  deadlineMs?: number;
  everyMs?: number;
  /** What is waited for, for the message when it does not come. */
  what?: string;
}

/**
 * Calls `look` until it returns something truthy, and returns that. An error thrown by `look` counts as
 * "not yet".
 * @throws when the deadline (default 10 s) passes, with the last error of `look` as its cause.
 */
export async function waitFor<T>(
  look: () => T | Promise<T>,
  { deadlineMs = 10_000, everyMs = 25, what = 'the awaited' }: WaitOptions = {},
): Promise<NonNullable<T>> {
  const end = performance.now() + deadlineMs;
  let cause: unknown;
  for (;;) {
    try {
      const found = await look();
      if (found) return found;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (performance.now() >= end) {
      const reason = cause instanceof Error ? `: ${cause.message}` : '';
      throw new Error(`${what} did not come within ${deadlineMs} ms${reason}`, { cause });
    }
    await setTimeout(everyMs);
  }
}
