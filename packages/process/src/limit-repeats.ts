/** How repeated lines are limited. */
export interface RepeatLimits {
  /** A line like an earlier one is left out for this time, in milliseconds. */
  windowMs: number;
  /** The number of lines that may be written at once. */
  burst: number;
  /** The milliseconds after which one more line may be written. */
  refillMs: number;
}

/**
 * An outage fails many requests, jobs and attempts to connect each second, all with the same few lines. A line like an
 * earlier one is written every ten seconds, and all warnings together every two seconds on average. An error that is
 * unlike the earlier ones is always written: it may be the reason for which the process ends.
 */
const defaultRepeatLimits: RepeatLimits = { windowMs: 10_000, burst: 15, refillMs: 2_000 };

/** A decision about a line. `suppressed` is the number of lines that were left out since the last one. */
export type RepeatDecision = { write: false } | { write: true; suppressed: number };

/** Limits the lines of a process. `kind` says which lines are alike. `now` is in milliseconds. */
export function limitRepeats(
  limits = defaultRepeatLimits,
): (level: 'warn' | 'error', kind: string, now: number) => RepeatDecision {
  const lastWritten = new Map<string, number>();
  let tokens = limits.burst;
  let refilledAt: number | undefined;
  let suppressed = 0;
  return (level, kind, now) => {
    refilledAt ??= now;
    const refilled = Math.floor((now - refilledAt) / limits.refillMs);
    tokens = Math.min(limits.burst, tokens + refilled);
    refilledAt += refilled * limits.refillMs;
    const last = lastWritten.get(kind);
    const exhausted = level === 'warn' && tokens < 1;
    if (exhausted || (last !== undefined && now - last < limits.windowMs)) {
      suppressed += 1;
      return { write: false };
    }
    if (lastWritten.size >= maxKinds) lastWritten.clear();
    lastWritten.set(kind, now);
    tokens = Math.max(0, tokens - 1);
    const decision: RepeatDecision = { write: true, suppressed };
    suppressed = 0;
    return decision;
  };
}

const maxKinds = 1_000;
