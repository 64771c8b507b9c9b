/** A body with more bytes than this is big. A smaller one is parsed and validated in about a millisecond. */
const bigBytes = 16_384;

/**
 * Iterations of the event loop between two big bodies: in these it serves small requests, accepts one connection in each
 * (libuv 1.45 and later), and finishes the request of the body before.
 */
const iterationsBetween = 4;

/** Runs the work on request bodies, the big ones one at a time. */
export interface BigBodies {
  /** Runs the work at once when the body is small. The error of the work is thrown. */
  run<T>(merchantId: string, bytes: number, work: () => Promise<T>): Promise<T>;
}

/**
 * Opens the queue of big bodies of a process. Their work is divided into slices. If all of them were worked on at once, a
 * small request would wait for a slice of each of them whenever it returns to the event loop. Merchants alternate, so
 * that one with many big bodies delays another one by the body at hand.
 */
export function openBigBodies(): BigBodies {
  /** What waits, by merchant. The first merchant is the next one. */
  const waiting = new Map<string, (() => void)[]>();
  let busy = false;

  const startAfter = (iterations: number, start?: () => void) => {
    if (iterations > 1) setImmediate(startAfter, iterations - 1, start);
    else start?.();
  };
  const startNext = () => {
    const [next] = waiting;
    busy = next !== undefined;
    if (!next) return;
    const [merchantId, starts] = next;
    const start = starts.shift();
    waiting.delete(merchantId);
    if (starts.length > 0) waiting.set(merchantId, starts);
    setImmediate(startAfter, iterationsBetween, start);
  };
  return {
    async run(merchantId, bytes, work) {
      if (bytes <= bigBytes) return work();
      if (busy)
        await new Promise<void>((start) => {
          const starts = waiting.get(merchantId) ?? [];
          starts.push(start);
          waiting.set(merchantId, starts);
        });
      busy = true;
      try {
        return await work();
      } finally {
        startNext();
      }
    },
  };
}
