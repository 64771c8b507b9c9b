export interface CoalesceOptions<I> {
  /** Most weight in one flush. A single item may be heavier. */
  maxWeight: number;
  /** Weight of an item; 1 unless told. */
  weigh?: (item: I) => number;
  /** Flushes under way at a time. */
  parallel: number;
  /** Whether the items of a failed flush are tried again, each on its own, so that none fails for another; true unless told. */
  retryIndividually?: boolean;
}

interface Waiting<I, O> {
  item: I;
  resolve(result: O): void;
  reject(error: unknown): void;
}

/**
 * Runs single calls together: the first goes at once, those that come while a flush is under way share the
 * next one. So an idle system waits for nothing and a busy one pays per batch (group commit).
 * `flush` returns one result per item, in order.
 */
export function coalesce<I, O>(
  flush: (items: I[]) => Promise<O[]>,
  { maxWeight, weigh = () => 1, parallel, retryIndividually = true }: CoalesceOptions<I>,
): (item: I) => Promise<O> {
  let waiting: Waiting<I, O>[] = [];
  let running = 0;

  const take = (): Waiting<I, O>[] => {
    let weight = 0;
    let count = 0;
    for (const { item } of waiting) {
      weight += weigh(item);
      if (count > 0 && weight > maxWeight) break;
      count += 1;
    }
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return batch;
  };
  const runOne = async ({ item, resolve, reject }: Waiting<I, O>) => {
    try {
      resolve((await flush([item]))[0] as O);
    } catch (error) {
      reject(error);
    }
  };
  const run = async (batch: Waiting<I, O>[]) => {
    if (batch.length === 1) return runOne(batch[0] as Waiting<I, O>);
    try {
      const results = await flush(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index] as O));
    } catch (error) {
      if (!retryIndividually) for (const { reject } of batch) reject(error);
      else for (const one of batch) await runOne(one);
    }
  };
  const pump = () => {
    while (running < parallel && waiting.length > 0) {
      running += 1;
      void run(take()).finally(() => {
        running -= 1;
        pump();
      });
    }
  };
  return (item) =>
    new Promise<O>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // Wait for this turn of the event loop, so that calls of one burst go together.
      if (waiting.length === 1) setImmediate(pump);
    });
}
