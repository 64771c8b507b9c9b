import { setTimeout } from 'node:timers/promises';

/** How far something is, for a person, and the process whose log says why it is not further. */
export type Say = (state: string, process?: string) => void;

/** How a wait that has no deadline goes on, and ends. */
export interface Patience {
  /** The wait ends when nothing has changed for this long, in milliseconds. */
  stillMs: number;
  /** Receives a line now and then, about what is waited for and how far it is. */
  onWaiting?: ((line: string) => void) | undefined;
  /** Throws when waiting is in vain, such as when a process has ended. */
  requireHope?: (() => void) | undefined;
  /** The last lines of the log of a process. */
  logOf?: ((process: string) => string) | undefined;
  /** Ends the wait. */
  signal?: AbortSignal | undefined;
}

/** A wait is first reported after this time, and then at most this often, in milliseconds. */
const reportMs = 10_000;

/** A wait in which nothing changes is reported this often, in milliseconds. */
const stillReportMs = 30_000;

const everyMs = 100;

/**
 * Calls `look` until it returns something other than undefined and false, and returns that. However long it takes, the wait goes on
 * while what `look` says changes. An error of `look` means "not yet".
 * @throws when nothing has changed for `stillMs`, with the last lines of the log that `look` named; what `requireHope` throws; or
 *   when the signal aborts
 */
export async function waitWhileMoving<T>(
  what: string,
  look: (say: Say) => T | Promise<T>,
  { stillMs, onWaiting, requireHope, logOf, signal }: Patience,
): Promise<NonNullable<T>> {
  const startedAt = performance.now();
  let changedAt = startedAt;
  let reportedAt = startedAt;
  let reported = '';
  let state = '';
  let log: string | undefined;
  let cause: unknown;
  const say: Say = (next, process) => {
    log = process;
    if (next === state) return;
    state = next;
    changedAt = performance.now();
  };
  const described = () => (state === '' ? what : `${what} (${state})`);
  const report = () => {
    const now = performance.now();
    const isStill = described() === reported;
    if (now - reportedAt < (isStill ? stillReportMs : reportMs)) return;
    reportedAt = now;
    reported = described();
    const still = isStill
      ? `; nothing has changed for ${seconds(now - changedAt)}, and it stops after ${seconds(stillMs)}`
      : '';
    onWaiting?.(`waiting for ${reported}${still}`);
  };
  let found: { value: T } | undefined;
  let looking: Promise<void> | undefined;
  const lookOnce = async () => {
    try {
      found = { value: await look(say) };
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (!found?.value) await setTimeout(everyMs);
    looking = undefined;
  };
  // A look can take long, and must keep neither the reports nor the end waiting.
  for (;;) {
    looking ??= lookOnce();
    await Promise.race([looking, setTimeout(everyMs)]);
    if (found?.value) return found.value;
    if (signal?.aborted) throw new Error(`stopped while waiting for ${described()}`);
    requireHope?.();
    if (performance.now() - changedAt >= stillMs) {
      const reason = cause instanceof Error ? `: ${cause.message}` : '';
      const lines = log === undefined ? '' : `\n${logOf?.(log) ?? ''}`;
      throw new Error(
        `Nothing has changed for ${seconds(stillMs)} while waiting for ${described()}${reason}${lines}`,
        { cause },
      );
    }
    report();
  }
}

/** The same for work that ends by itself, and says how far it is: returns what the work returns, and throws what it throws. */
export async function finishWhileMoving<T>(
  what: string,
  work: Promise<T>,
  state: () => string,
  patience: Patience,
): Promise<T> {
  let end: { value: T } | undefined;
  let failure: { error: unknown } | undefined;
  work.then(
    (value) => (end = { value }),
    (error: unknown) => (failure = { error }),
  );
  const look = (say: Say) => {
    say(state());
    return end;
  };
  const requireHope = () => {
    if (failure) throw failure.error;
    patience.requireHope?.();
  };
  return (await waitWhileMoving(what, look, { ...patience, requireHope })).value;
}

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;
