import { setTimeout } from 'node:timers/promises';

const firstWaitMs = 250;
const lastWaitMs = 2_000;

/**
 * Does what must not be left undone: tries again after 0.25, 0.5, 1, 2, 2 … seconds, until it works, `isHopeless` says
 * that it never will, or `ending` aborts; then once more at once. `onFailure` hears why it is tried again.
 */
export async function keepTrying<T>(
  run: () => Promise<T>,
  options: {
    isHopeless: (error: unknown) => boolean;
    onFailure: (error: unknown) => void;
    ending: AbortSignal;
  },
): Promise<T> {
  const { isHopeless, onFailure, ending } = options;
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(lastWaitMs, waitMs * 2)) {
    const last = ending.aborted;
    try {
      return await run();
    } catch (error) {
      if (last || isHopeless(error)) throw error;
      onFailure(error);
    }
    await setTimeout(waitMs, undefined, { signal: ending }).catch(() => undefined);
  }
}
